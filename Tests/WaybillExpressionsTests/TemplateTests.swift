import Testing
import WaybillExpressions
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct TemplateTests {
    @Test(
        arguments: [
            ("${inputs.count}", 3), ("n=${inputs.count}", "n=3"), ("${inputs.count}${inputs.flag}", "3true"),
            ("plain", "plain"), ("", ""), ("$${inputs.count}", "${inputs.count}"),
            ("$$${inputs.count}", "$${inputs.count}"),
            ("a$b $ {x} }", "a$b $ {x} }"), ("${'}'}-${\"}\\\"\"}", "}-}\""), ("é${ inputs.name }é", "éanné"),
            ("${1.50}x", "1.50x"), ("${vars.list}", [3, 1, 2]), ("$.code", "$.code"),
        ] as [(String, JSON)]
    )
    func `a template evaluates to the expected value`(text: String, expected: JSON) throws {
        #expect(try Template(parsing: text).value(in: .sample()).json == expected)
    }

    @Test func `a template without expressions is a literal`() throws {
        #expect(try Template(parsing: "a $${b}").literal == "a ${b}")
        #expect(try Template(parsing: "").literal == "")
        #expect(try Template(parsing: "${1}").literal == nil)
    }

    @Test func `numbers are inserted as they were written`() throws {
        let scope = EvaluationScope.sample(["v": .number(JSONNumber(1))])
        #expect(try Template(parsing: "${1.10}/${$.v}").text(in: scope).text == "1.10/1")
    }

    @Test func `lists, objects and null cannot be inserted into a string`() throws {
        let text = "é ${vars.list}"
        let error = #expect(throws: EvaluationError.self) { try Template(parsing: text).text(in: .sample()) }
        #expect(error?.message == "only a string, a number or a boolean can be inserted into a string, found a list")
        #expect(error.map { part(text, $0.range) } == "vars.list")
    }

    @Test func `a secret makes the whole string secret`() throws {
        #expect(try Template(parsing: "a ${secrets.password}").text(in: .sample()).isSecret)
        #expect(try Template(parsing: "a ${secrets.password}").value(in: .sample()).isSecret)
        #expect(try !Template(parsing: "a ${inputs.name}").text(in: .sample()).isSecret)
    }

    @Test func `each computed part can be rewritten, and knows whether it is raw`() throws {
        let template = try Template(parsing: "/x/${'a/b'}/${raw('a/b')}/${default(raw('c/d'), 1)}")
        let text = try template.text(in: .sample()) { $0.isRaw ? $0.text : "<\($0.text)>" }
        #expect(text.text == "/x/<a/b>/a/b/c/d")
        #expect(try Template(parsing: "${raw('a')}").text(in: .sample()).isRaw)
        #expect(try !Template(parsing: "${upper(raw('a'))}").text(in: .sample()).isRaw)
    }

    @Test func `locations are relative to the template`() throws {
        let text = "é ${inputs.name} ${default(steps.a.b, 1)}"
        let template = try Template(parsing: text)
        #expect(template.references.map { part(text, $0.range) } == ["inputs.name", "steps.a.b"])
        #expect(template.references[1].segments.map { part(text, $0.range) } == ["a", "b"])
        #expect(template.expressions.map(\.range.lowerBound) == [5, 20])
    }

    @Test(
        arguments: [
            ("a ${inputs.x", "${", "unclosed '${'"),
            ("a ${lower('x}", "'", "unterminated string"),
            ("é ${1 2}", "2", "expected the end of the expression"),
            ("${}", "", "expected a value"),
        ]
    )
    func `a syntax error is located`(text: String, place: String, message: String) {
        let error = #expect(throws: ExpressionSyntaxError.self) { try Template(parsing: text) }
        #expect(error?.message == message)
        #expect(error.map { part(text, $0.range) } == place)
    }

    @Test(
        arguments: [
            ("$.id", "$.id"), ("steps.login.data", "steps.login.data"), ("$[0]", "$[0]"),
            ("hello {{ inputs.name }}", "{{ inputs.name }}"),
            ("é${$.a[?@.ok]}", "@.ok"),
        ]
    )
    func `a literal that looks like a path gets a warning`(text: String, place: String) throws {
        #expect(try Template(parsing: text).warnings.map { part(text, $0.range) } == [place])
    }

    @Test(arguments: ["$", "steps", "data.csv", "{{1}}", "{{ a b }}", "price: $.50", "${$.id}", "vars", "a.b"])
    func `other literals get no warning`(text: String) throws {
        #expect(try Template(parsing: text).warnings == [])
    }

    @Test(arguments: [("inputs.count + 1", 0), ("${inputs.count + 1}", 2), ("  ${ inputs.count + 1 } ", 4)])
    func `where an expression is expected, braces around it have no effect`(text: String, offset: Int) throws {
        let expression = try Template.expression(in: text)
        #expect(expression.range.lowerBound == offset)
        #expect(part(text, expression.range).contains("inputs.count + 1"))
        #expect(expression.references.map { part(text, $0.range) } == ["inputs.count"])
        #expect(
            expression.checkCondition()?.range.lowerBound
                == text.utf8.firstIndex(of: UInt8(ascii: "i"))?.utf16Offset(in: text)
        )
        #expect(try expression.evaluate(in: .sample()).json == 4)
    }

    @Test func `where an expression is expected, there must be exactly one`() {
        let error = #expect(throws: ExpressionSyntaxError.self) { try Template.expression(in: " ${$.a} == ${$.b}") }
        #expect(error?.message == "'${…}' is not valid inside an expression")
        #expect(error?.range == 1..<3)
        #expect(throws: ExpressionSyntaxError.self) { try Template.expression(in: "  ") }
    }
}
