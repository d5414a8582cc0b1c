import Testing
import WaybillExpressions
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct ExpressionSyntaxTests {
    @Test(
        arguments: [
            ("$.a = 1", "=", "'=' is not an operator", "To compare, write '=='."),
            ("$.a === 1", "===", "this is not an operator", "Write '==' or '!='."),
            ("$.a <> 1", "<>", "this is not an operator", "Write '!='."),
            ("$.a =~ 'x'", "=~", "this is not an operator", "Write search(x, 'pattern')."),
            ("$.a and $.b", "and", "'and' is not an operator", "Write '&&'."),
            ("$.a OR $.b", "OR", "'OR' is not an operator", "Write '||'."),
            ("$.a | $.b", "|", "'|' is not an operator", "For 'or', write '||'. To call a function, write name(x)."),
            ("$.a & $.b", "&", "'&' is not an operator", "For 'and', write '&&'."),
            ("$.a ? 1 : 2", "?", "'?' is not an operator", "Write a filter in brackets: $.items[?@.price > 10]."),
            ("$.a -1", "-", "'-' needs a space on both sides", "Write 'a - b', because a name may contain '-'."),
            ("inputs.a- 1", "-", "'-' needs a space on both sides", "Write 'a - b', because a name may contain '-'."),
            ("1+2", "+", "'+' needs a space on both sides", "Write 'a + b'."),
            ("-$.a", "-", "'-' must be followed by a number", "To negate a value, write '0 - x'."),
            ("1 < 2 < 3", "<", "comparisons cannot be chained", "Combine two comparisons with '&&'."),
            (
                "{{inputs.x}}", "{{", "'{{…}}' is not valid in an expression",
                "Write the path without braces, or as ${…} in a template."
            ),
            ("1 + ${x}", "${", "'${…}' is not valid inside an expression", "Remove '${' and '}'."),
            (
                "$name", "n", "a name cannot directly follow '$'",
                "A member of the current value is '$.name'; a name of the scope has no '$'."
            ),
            ("@.a", "@", "'@' is available only inside a filter [?…]", "The current value is '$'."),
            (
                "[1, 2]", "[", "objects and lists cannot be written in an expression",
                "Write them in YAML, as a value, or a list as list(a, b)."
            ),
            ("(1 + 2", "(", "unclosed '('", nil),
            ("lower('a'", "(", "unclosed '('", nil),
            ("$.a[0", "[", "unclosed '['", nil),
            ("$.a['x", "'", "unterminated string", nil),
            ("'abc", "'", "unterminated string", nil),
            ("'a\\d'", "\\d", "invalid escape in a string", "To write a backslash, use '\\\\'."),
            ("'\\uD800'", "\\uD800", "unpaired surrogate", nil),
            ("1 2", "2", "expected the end of the expression", nil),
            ("$.a)", ")", "unmatched ')'", nil),
            ("$.a, $.b", ", $.b", "expected a single expression", "',' is allowed only between arguments."),
            (
                "$.a[name]", "name", "a name in brackets must be quoted",
                "Write ['name']; to look up by a computed value, use a filter: [?@.id == name]."
            ),
            ("$.a[(@.b > 1)]", "(", "a filter must start with '?'", "Write [?@.price > 10]."),
            ("$.1a", "1", "a name cannot start with a digit", "Write an index as [0], and such a name as ['1a']."),
            ("$.a.", ".", "expected a name after '.'", "Write a name with other characters as ['a b']."),
            ("lower ('a')", "lower", "'(' must follow the function's name without a space", nil),
            ("1 +", "", "expected a value", nil),
            ("", "", "expected a value", nil),
            (
                "\u{2018}a\u{2019}", "\u{2018}a\u{2019}", "typographic quotes do not delimit a string",
                "Write 'like this'."
            ),
            (
                "$[-9223372036854775808]", "-9223372036854775808", "an index must be within ±(2^53 − 1)", nil
            ),
            ("01", "01", "a number cannot have leading zeros", nil),
            ("1 + 'a'", "'a'", "'+' requires numbers, found a string", "To join strings, write concat(a, b)."),
            (
                "'a' && true", "'a'", "a condition must be true or false, found a string",
                "Compare it with a value, as in 'x == 1'."
            ),
            (
                "$.a[?@.b[*] == 1]", "@.b[*]", "a path that may match several values cannot be compared",
                "Inside a filter, use count(…), contains(…) or value(…)."
            ),
            ("length('é') == = 1", "=", "expected a value", nil),
            ("length('a').x", "length('a')", "a number has no members", nil),
        ] as [(String, String, String, String?)]
    )
    func `a syntax error is located and explained`(text: String, place: String, message: String, help: String?) {
        let error = #expect(throws: ExpressionSyntaxError.self) { try Expression(parsing: text) }
        #expect(error?.message == message)
        #expect(error.map { part(text, $0.range) } == place)
        #expect(error?.help == help)
    }

    @Test(
        arguments: [
            String(repeating: "(", count: 100_000), String(repeating: "!", count: 60_000) + "true",
            String(repeating: "$[?", count: 20_000), "1" + String(repeating: " + 1", count: 10_000),
            String(repeating: "lower(", count: 10_000), String(repeating: "a", count: 70_000),
        ]
    )
    func `an expression that is too deep or too long is rejected`(text: String) {
        #expect(throws: ExpressionSyntaxError.self) { try Expression(parsing: text) }
        #expect(throws: ExpressionSyntaxError.self) { try JSONPath(parsing: text) }
    }

    @Test func `a long condition does not count as deep nesting`() throws {
        let text = (0..<1_000).map { "inputs.count == \($0)" }.joined(separator: " || ")
        #expect(try evaluate(text) == true)
    }

    @Test func `nested filters below the depth limit are accepted`() throws {
        let depth = 190
        let text = "$" + String(repeating: "[?@", count: depth) + String(repeating: "]", count: depth)
        var document: JSON = []
        for _ in 0..<depth { document = [document] }
        #expect(try JSONPath(parsing: text).values(in: document).count == 1)
    }

    @Test func `nesting below the depth limit is accepted`() throws {
        let depth = 190
        #expect(try evaluate(String(repeating: "(", count: depth) + "1" + String(repeating: ")", count: depth)) == 1)
    }
}
