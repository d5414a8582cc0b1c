import Testing

@testable import WaybillExpressions

@Suite(.timeLimit(.minutes(5))) struct PlainPathTests {
    @Test(arguments: [
        "$", "$.a", "$.items[0].id", "steps.login.outputs.token", "inputs", " inputs.user-id\n", "a--b.c-1[12]",
        "_x.y_z",
        "item[999999999999999]", "trueish.null", "x.true", "a[0][1].b",
    ])
    func `a plain path has the same result as the general compiler`(text: String) throws {
        let path = try #require(PlainPath(text))
        var compiler = ExpressionCompiler(text, dialect: .waybill)
        let general = try compiler.value(try ExpressionParser.expression(text))
        guard case .query(let query) = general.kind else {
            Issue.record("not a query")
            return
        }
        #expect(path.query.root == query.root)
        #expect(path.query.range == query.range)
        #expect(general.range == query.range)
        #expect(path.query.path.text == query.path.text)
        #expect(path.query.path.ends == query.path.ends)
        #expect(path.query.path.isSingular == query.path.isSingular)
        #expect("\(path.query.path.segments)" == "\(query.path.segments)")
        #expect([path.reference] == compiler.references)
        let expression = try Expression(parsing: text)
        #expect(expression.references == compiler.references)
        #expect(expression.warnings == compiler.warnings)
        #expect(expression.isConstant == !compiler.usesScope)
        #expect(expression.resultType == general.type)
    }

    @Test(arguments: [
        "", " ", "true", "false", "null", "now()", "now ()", "1", "-1", "'a'", "$a", "$.", "$..a", "$.*", "a.", "a..b",
        "a.1", "a-", "a -b", "a - b", "a[00]", "a[01]", "a[-1]", "a[9007199254740993]", "a[", "a[0", "a[]", "a[ 0]",
        "a['b']",
        "a [0]", "a .b", "a b", "ä", "a.ü", "(a)", "!a", "a == 1", "@", "@.a", "${a}", "a,b", "a.b(c)",
    ])
    func `all other expressions are left to the general compiler`(text: String) {
        #expect(PlainPath(text) == nil)
    }
}
