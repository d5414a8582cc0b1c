import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan

/// Manifests with so many errors that work for each of them in each other one would take hours.
@Suite(.timeLimit(.minutes(5))) struct ManyErrorTests {
    static let services = "services: {s: {baseURL: \"http://127.0.0.1:1\"}}\n"

    private static func lines(_ count: Int, _ line: (Int) -> String) -> String {
        (0..<count).map(line).joined(separator: "\n") + "\n"
    }

    /// What is repeated, the id of its errors, and the number of errors.
    static let manifests: [(text: String, id: String, count: Int)] = [
        (lines(60_000) { _ in "x: 1" }, "duplicate-key", 59_999),
        (
            services
                + "graphs: {main: {chain: [{get: /a, service: s, params: {a: \"\\n\(String(repeating: "${q}", count: 20_000))\"}}]}}\n",
            "unknown-name", 20_000
        ),
    ]

    @Test(arguments: manifests.indices)
    func `thousands of errors are reported in time linear in their number`(index: Int) throws {
        let (text, id, count) = Self.manifests[index]
        let (_, diagnostics) = try PlanFixture.plan(text)
        #expect(diagnostics.count { $0.id.name == id } == count)
    }

    @Test func `a message has the start of a long name, and is cut`() throws {
        let name = String(repeating: "n", count: 5_000)
        let (_, diagnostics) = try PlanFixture.plan(
            "\(Self.services)graphs: {main: {chain: [{call: \(name)}, {call: '\(name) \(name)'}]}}"
        )
        let messages = diagnostics.filter { $0.id.name == "unknown-endpoint" }.map(\.headline)
        let start = String(repeating: "n", count: 199)
        #expect(messages == ["no endpoint is named '\(start)…'", "no endpoint is named '\(start)… \(start)n…'"])
        let cycle = Diagnostic("needs-cycle", (0..<10_000).map { "s\($0)" }.joined(separator: " → "), at: nil)
        #expect(cycle.headline.unicodeScalars.count == 1_001 && cycle.headline.hasSuffix("…"))
    }
}
