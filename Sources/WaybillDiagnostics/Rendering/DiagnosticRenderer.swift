/// Writes diagnostics as a document in one format, for people or for tools.
package protocol DiagnosticRenderer: Sendable {
    /// The whole document, ending in a line break; empty only for no diagnostics in formats that have no document then.
    func document(for diagnostics: [Diagnostic]) -> String
}
