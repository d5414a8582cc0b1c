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
            ("$.a | $.b", "|", "'|' is not an operator", "'or' is written '||'; a function is called as name(x)."),
            ("$.a & $.b", "&", "'&' is not an operator", "'and' is written '&&'."),
            ("$.a ? 1 : 2", "?", "'?' is not an operator", "A filter stands in brackets: $.items[?@.price > 10]."),
            ("$.a -1", "-", "'-' needs a space on both sides", "Write 'a - b', because a name may hold a '-'."),
            ("inputs.a- 1", "-", "'-' needs a space on both sides", "Write 'a - b', because a name may hold a '-'."),
            ("1+2", "+", "'+' needs a space on both sides", "Write 'a + b'."),
            ("-$.a", "-", "a minus sign begins only a number", "To negate a value, write '0 - x'."),
            ("1 < 2 < 3", "<", "comparisons cannot be chained", "Join two comparisons with '&&'."),
            (
                "{{inputs.x}}", "{{", "'{{…}}' is not used here",
                "Write the path as it is, or as ${…} in a template."
            ),
            ("1 + ${x}", "${", "'${…}' is not used inside an expression", "Leave out '${' and '}'."),
            (
                "$name", "n", "a name cannot stand directly behind '$'",
                "A member of the value at hand is '$.name'; a name of the scope has no '$'."
            ),
            ("@.a", "@", "'@' is the element of a filter [?…]", "The value at hand is '$'."),
            ("[1, 2]", "[", "objects and lists cannot be written in an expression", "Write them in YAML, as a value."),
            ("(1 + 2", "(", "this '(' is never closed", nil),
            ("lower('a'", "(", "this '(' is never closed", nil),
            ("$.a[0", "[", "this '[' is never closed", nil),
            ("$.a['x", "'", "this string is never closed", nil),
            ("'abc", "'", "this string is never closed", nil),
            ("'a\\d'", "\\d", "a string has no such escape", "A backslash itself is written '\\\\'."),
            ("'\\uD800'", "\\uD800", "this is half of a surrogate pair", nil),
            ("1 2", "2", "the expression should end here", nil),
            ("$.a)", ")", "this ')' closes nothing", nil),
            ("$.a, $.b", ", $.b", "an expression is one value", "A ',' stands only between arguments."),
            (
                "$.a[name]", "name", "a name in brackets is written in quotes",
                "Write ['name']; to look up by a computed value, use a filter: [?@.id == name]."
            ),
            ("$.a[(@.b > 1)]", "(", "a filter begins with '?'", "Write [?@.price > 10]."),
            ("$.1a", "1", "a name does not begin with a digit", "An index is written [0], an odd name ['1a']."),
            ("$.a.", ".", "a name is missing behind the '.'", "An odd name is written ['a b']."),
            ("lower ('a')", "lower", "a function's '(' stands directly behind its name", nil),
            ("1 +", "", "a value is missing here", nil),
            ("", "", "a value is missing here", nil),
            ("\u{2018}a\u{2019}", "\u{2018}a\u{2019}", "typographic quotes do not make a text", "Write 'like this'."),
            (
                "$[-9223372036854775808]", "-9223372036854775808", "an index lies within ±(2^53 − 1)", nil
            ),
            ("01", "01", "a number does not begin with '0'", nil),
            ("1 + 'a'", "'a'", "'+' takes numbers, and this is a string", "Texts are joined with concat(a, b)."),
            (
                "'a' && true", "'a'", "a condition must be true or false, and this is a string",
                "Compare it with something."
            ),
            (
                "$.a[?@.b[*] == 1]", "@.b[*]", "a path that may match several values cannot be compared",
                "Inside a filter use count(…), contains(…) or value(…)."
            ),
            ("length('é') == = 1", "=", "a value is missing here", nil),
            ("length('a').x", "length('a')", "this is a number and has no members", nil),
        ] as [(String, String, String, String?)]
    )
    func `a slip is pointed at and explained`(text: String, place: String, message: String, help: String?) {
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
    func `no text is too deep or too long to be refused`(text: String) {
        #expect(throws: ExpressionSyntaxError.self) { try Expression(parsing: text) }
        #expect(throws: ExpressionSyntaxError.self) { try JSONPath(parsing: text) }
    }

    @Test func `a long condition is not deep`() throws {
        let text = (0..<1_000).map { "inputs.count == \($0)" }.joined(separator: " || ")
        #expect(try evaluate(text) == true)
    }

    @Test func `nested filters below the limit work`() throws {
        let depth = 190
        let text = "$" + String(repeating: "[?@", count: depth) + String(repeating: "]", count: depth)
        var document: JSON = []
        for _ in 0..<depth { document = [document] }
        #expect(try JSONPath(parsing: text).values(in: document).count == 1)
    }

    @Test func `nesting below the limit works`() throws {
        let depth = 190
        #expect(try evaluate(String(repeating: "(", count: depth) + "1" + String(repeating: ")", count: depth)) == 1)
    }
}
