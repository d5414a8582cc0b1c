import WaybillDiagnostics

extension SourceFile {
    /// The span of the first occurrence of a string.
    func span(_ text: String) -> SourceSpan {
        let wanted = Array(text.utf8)
        let start = bytes.indices.first { bytes[$0...].starts(with: wanted) } ?? bytes.count
        return span(start..<start + wanted.count)
    }
}
