import Testing

@testable import WaybillExpressions
@testable import WaybillJSON

/// Evaluation steps are counted, so that no expression can hang.
@Suite(.timeLimit(.minutes(5))) struct ExpressionLimitTests {
    @Test(
        arguments: [
            "$..*..*..*..*", "$[?@ == $[0]]", "$[?length($..*) > 0]", "$[?contains($[0][0], 'x')]",
            "$[?search($[0][0], 'b')]",
            "$[?length(range(50)) > 60]", "$[?$[0] == $[1]]", "$[?json($) == 'x']",
            "$[?count($[?count($[*]) == 1]) == 1]",
            "$[?upper($[0][0]) == 'x']",
        ]
    )
    func `evaluation beyond the step limit fails`(text: String) throws {
        let text = try Expression(parsing: text)
        let row = JSON.array(Array(repeating: .string(String(repeating: "a", count: 100)), count: 30))
        let scope = EvaluationScope.sample(.array(Array(repeating: row, count: 30)))
        var evaluator = Evaluator(scope, steps: 200)
        let error = #expect(throws: EvaluationError.self) { try evaluator.result(text.compiled) }
        #expect(error?.kind == .limit)
    }

    @Test(arguments: ["split($, '-')", "replace($, '-', '')", "contains($, '-')", "parse($)"])
    func `work on a long string ends once the time of the step has passed`(text: String) async throws {
        let text = try Expression(parsing: text)
        let long = JSON.string("[" + String(repeating: "1,", count: 50_000) + "1]")
        let hasFailed = await WorkLimit.limited({ true }) {
            var evaluator = Evaluator(.sample(long), steps: 1_000_000)
            return (try? evaluator.result(text.compiled)) == nil
        }
        #expect(hasFailed)
    }

    @Test func `ordinary expressions stay far below the limit`() throws {
        let text = try Expression(parsing: "$[?@.score > 10].name")
        let rows = JSON.array((0..<1_000).map { ["score": .number(JSONNumber($0)), "name": "x"] })
        var evaluator = Evaluator(.sample(rows), steps: 10_000)
        #expect(try evaluator.result(text.compiled).json.array?.count == 989)
    }

    @Test func `a deeply nested document can be searched`() throws {
        var document: JSON = ["x": 1]
        for _ in 0..<2_000 { document = ["a": [document]] }
        #expect(try JSONPath(parsing: "$..x").values(in: document) == [1])
    }
}
