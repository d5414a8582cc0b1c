import Testing
import WaybillDiagnostics

@Suite(.timeLimit(.minutes(5))) struct RepeatedDiagnosticTests {
    private func repeated(_ id: DiagnosticID, _ count: Int) -> [Diagnostic] {
        (1...count).map { Diagnostic(id, "number \($0)", severity: .warning, at: nil) }
    }

    @Test func `the first diagnostics of a kind are shown and the rest are counted`() {
        let all = repeated("duplicate-key", 102) + repeated("unused-input", 100)
        let limited = all.limitingRepeats(to: 100)
        #expect(limited.count == 201)
        #expect(Array(limited.prefix(100)) == Array(all.prefix(100)))
        #expect(limited.last?.id == "duplicate-key")
        #expect(limited.last?.headline == "2 more diagnostics of this kind")
        #expect(limited.last?.severity == .warning)
    }

    @Test func `the summary counts all diagnostics, including those that are not shown`() {
        let report = HumanRenderer().document(for: repeated("duplicate-key", 5_000))
        #expect(report.hasSuffix("4000 more diagnostics of this kind\n\n5000 warnings\n"))
    }
}
