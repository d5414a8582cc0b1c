import WaybillDiagnostics
import WaybillResults

/// What is printed of a failure below the line of its step.
struct FailureText {
    /// The maximum number of failed elements that are listed.
    private static let listedElements = 5

    /// Whether the text has colours.
    let colour: Bool

    /// The failure of a step, and of a `forEach` how many elements failed and the first of them.
    func text(of failure: Failure, elements: ElementResults?) -> String {
        indented(diagnostic(of: failure)) + (elements.map { list(of: $0) } ?? "")
    }

    /// A failure in the words and with the carets of a diagnostic, because it points into the manifest as one does.
    private func diagnostic(of failure: Failure) -> String {
        let text = HumanRenderer(colour: colour).render(failure.diagnostic)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().joined(separator: "\n")
    }

    /// How many elements failed, and the first of them with their indices, addresses and reasons.
    private func list(of elements: ElementResults) -> String {
        let failed = elements.counts[.failed] + elements.counts[.tolerated]
        guard failed > 0 else { return "" }
        let all = StepOutcome.allCases.reduce(0) { $0 + elements.counts[$1] }
        let listed = elements.failures.prefix(Self.listedElements)
        let cancelled = elements.counts[.cancelled]
        let others = cancelled == 0 ? "" : ", \(cancelled) \(cancelled == 1 ? "was" : "were") cancelled"
        var lines = ["\(failed) of \(all) elements failed\(others):"]
        for element in listed {
            let url = element.url.map { "\($0): " } ?? ""
            let findings = element.failure.findings.map(\.message).filter { $0 != element.failure.message }
            let details = findings.isEmpty ? "" : " (\(findings.map(\.description).joined(separator: "; ")))"
            let reason = PrintableText.oneLine("\(url)\(element.failure.message)\(details)")
            lines.append("  [\(element.element)] \(reason)")
        }
        if failed > listed.count { lines.append("  … and \(failed - listed.count) more") }
        return indented(lines.joined(separator: "\n"))
    }

    private func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
    }
}
