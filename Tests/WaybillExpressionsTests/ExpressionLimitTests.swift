import Synchronization
import Testing
import WaybillFormats

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

    /// Counts how often an evaluation asks whether to continue, and stops it at a number.
    private final class CountingEnvironment: EvaluationEnvironment {
        private let asked = Atomic(0)
        private let last: Int

        init(last: Int = .max) {
            self.last = last
        }

        var count: Int { asked.load(ordering: .relaxed) }
        func now() -> Timestamp { Timestamp(nanoseconds: 0) }
        func uuid() -> String { "" }
        func contents(ofFile path: String) throws(EvaluationError) -> [UInt8] { throw EvaluationError(.value, "none") }
        func reasonToStop(after steps: Int) -> String? {
            asked.wrappingAdd(1, ordering: .relaxed).newValue >= last ? "stopped" : nil
        }
    }

    private static let size = 200_000
    private static let text = JSON.string(String(repeating: " ", count: size))
    private static let list = JSON.array((0..<size).map { .number(JSONNumber(size - $0)) })
    /// Calls whose loops may take seconds, with a long string and with a long list.
    private static let loopsOverText = [
        "lower($)", "upper($)", "trim($)", "split($, '-')", "split($, '')", "replace($, '-', '')", "contains($, '-')",
        "urlencode($)", "range(200000)",
    ]
    private static let loopsOverLists = [
        "join($, '')", "contains($, 1.5)", "sum($)", "min($)", "max($)", "sort($)", "unique($)",
    ]
    /// Functions that read each byte or element of an argument at most once or twice in the simplest way, or whose parts
    /// stop by themselves.
    private static let others: Set = [
        "length", "count", "match", "search", "value", "default", "exists", "not", "if", "concat", "startsWith",
        "endsWith", "capture", "captures", "number", "round", "string", "json", "parse", "base64", "unbase64", "raw",
        "md5", "sha1", "sha256", "sha512", "hmac", "list", "keys", "values", "first", "last", "now", "date", "epoch",
        "uuid", "file", "bytes", "get", "xpath", "apply",
    ]

    @Test(arguments: loopsOverText + loopsOverLists)
    func `a function asks every few thousand steps whether to continue`(text: String) throws {
        let data = Self.loopsOverText.contains(text) ? Self.text : Self.list
        let expression = try Expression(parsing: text)
        let environment = CountingEnvironment()
        var scope = EvaluationScope.sample(data)
        scope.environment = environment
        _ = try expression.evaluate(in: scope)
        // The evaluator itself asks before and after.
        #expect(environment.count >= 10)
        scope.environment = CountingEnvironment(last: 5)
        let error = #expect(throws: EvaluationError.self) { try expression.evaluate(in: scope) }
        #expect(error?.kind == .limit)
        #expect(error?.message == "stopped")
    }

    @Test func `every function is known to stop`() {
        let names = Set(ExpressionFunction.all.map(\.name))
        let loops = Self.loopsOverText + Self.loopsOverLists
        #expect(names.subtracting(Self.others) == Set(loops.map { String($0.prefix { $0 != "(" }) }))
    }

    @Test func `long strings are changed in pieces of whole characters`() throws {
        let text = "x" + String(repeating: "Ä€😀", count: 3_000)
        #expect(try evaluate("lower($)", .string(text)) == .string(text.lowercased()))
        #expect(try evaluate("length(urlencode($))", .string(text)) == .number(JSONNumber(1 + 3_000 * 27)))
    }

    @Test func `the format of a date has a maximum length`() throws {
        let error = try evaluationError("date(0, $)", .string(String(repeating: "%A", count: 50_000)))
        #expect(error?.message == "the format of date() has more than 65536 bytes")
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
