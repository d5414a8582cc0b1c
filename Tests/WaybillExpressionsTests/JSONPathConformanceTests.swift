import Testing
import WaybillExpressions
import WaybillJSON
import WaybillTestSupport

/// The JSONPath Compliance Test Suite, read from the folder of conformance suites.
@Suite(
    .enabled(if: ConformanceSuite.folder("jsonpath") != nil, "the conformance suites are absent"),
    .timeLimit(.minutes(5))
)
struct ConformanceJSONPathTests {
    private static let folder = ConformanceSuite.folder("jsonpath")

    private static func cases() throws -> [JSON] {
        let bytes = try ConformanceSuite.bytes(of: #require(folder) + "/cts.json")
        return try #require(try JSONParser().parse(bytes)["tests"]?.array)
    }

    private struct Case {
        var name: String
        var selector: String
        var isInvalid: Bool
        var document: JSON
        var results: [JSON]
        var paths: [JSON]

        init?(_ json: JSON) {
            guard let name = json["name"]?.string, let selector = json["selector"]?.string else { return nil }
            self.name = name
            self.selector = selector
            isInvalid = json["invalid_selector"] == true
            document = json["document"] ?? .null
            results = json["results"]?.array ?? json["result"].map { [$0] } ?? []
            paths = json["results_paths"]?.array ?? json["result_paths"].map { [$0] } ?? []
        }

        /// The reason why the case fails, or `nil`.
        func failure() -> String? {
            let query: JSONPath
            do {
                query = try JSONPath(parsing: selector)
            } catch {
                return isInvalid ? nil : "refused: \(error.message) at \(error.range)"
            }
            if isInvalid { return "accepted, though invalid" }
            do {
                let nodes = try query.nodes(in: document)
                let values = JSON.array(nodes.map(\.value))
                if !results.contains(values) { return "gives \(values)" }
                let found = JSON.array(nodes.map { .string($0.location.normalizedPath) })
                if !paths.isEmpty, !paths.contains(found) { return "finds \(found)" }
                return try JSON.array(query.values(in: document)) == values ? nil : "values and nodes differ"
            } catch {
                return "fails: \(error)"
            }
        }

        /// The reason why the selector fails as an expression of Waybill, or `nil`. In an expression, a singular query
        /// that matches nothing is an error, so empty results are compared with `exists()`.
        func failureAsExpression() -> String? {
            let isEmpty = results == [[]]
            do {
                let expression = try Expression(parsing: isEmpty ? "exists(\(selector))" : selector)
                let found = try expression.evaluate(in: .sample(document)).json
                if isEmpty { return found == false ? nil : "finds something" }
                let isFound = results.contains(found) || results.contains(.array([found]))
                return isFound ? nil : "gives \(found)"
            } catch {
                return "fails: \(error)"
            }
        }
    }

    @Test func `every case of the suite passes`() throws {
        let cases = try Self.cases()
        var passed = 0
        for json in cases {
            let testCase = try #require(Case(json))
            if let failure = testCase.failure() {
                Issue.record("\(testCase.name): \(testCase.selector) \(failure)")
            } else {
                passed += 1
            }
        }
        print("JSONPath Compliance Test Suite: \(passed) of \(cases.count) cases passed")
    }

    /// Selectors that RFC 9535 rejects but Waybill accepts are not compared: only selectors that are valid in the RFC
    /// must be valid here. The one exception is a name with `-`: `$.a-1` is a name in Waybill.
    @Test func `the expression language accepts every valid query and finds the same values`() throws {
        let cases = try Self.cases()
        for json in cases {
            let testCase = try #require(Case(json))
            if testCase.isInvalid { continue }
            if let failure = testCase.failureAsExpression() {
                Issue.record("\(testCase.name): \(testCase.selector) \(failure)")
            }
        }
    }
}
