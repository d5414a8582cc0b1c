/// Writes diagnostics as a document in one format, for people or for tools.
package protocol DiagnosticRenderer: Sendable {
    /// The whole document, ending in a line break; empty only where a format says nothing about no diagnostics.
    func document(for diagnostics: [Diagnostic]) -> String
}
