/// Turns findings into a document of one format: text for people, or what a tool reads.
package protocol DiagnosticRenderer: Sendable {
    /// The whole document, ending in a line break; empty only where a format says nothing about no findings.
    func document(for findings: [Diagnostic]) -> String
}
