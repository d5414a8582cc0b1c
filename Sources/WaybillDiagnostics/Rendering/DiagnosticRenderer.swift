/// Writes diagnostics as a document in one format, for people or for tools.
package protocol DiagnosticRenderer: Sendable {
    /// Returns the whole document, ending with a line break. It is empty only without diagnostics, in formats that then
    /// have no document.
    func document(for diagnostics: [Diagnostic]) -> String
}
