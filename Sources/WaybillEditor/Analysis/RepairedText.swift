import WaybillDiagnostics
import WaybillManifest

/// A text in YAML whose lines with syntax errors are replaced by spaces, so that everything else keeps its location.
enum RepairedText {
    /// The maximum number of lines that are replaced.
    private static let maximumLines = 8

    /// Returns the repaired text; `nil` if too much of it is broken.
    static func repair(_ file: SourceFile) -> [UInt8]? {
        var bytes = file.bytes
        for _ in 0...maximumLines {
            let current = SourceFile(name: file.name, bytes: bytes)
            let (document, diagnostics) = YAMLReader().read(current)
            if document != nil { return bytes }
            guard let span = diagnostics.last(where: { $0.severity == .error })?.primary?.span else { return nil }
            var line = current.line(at: span.range.lowerBound)
            // A missing value or an open bracket is reported at the next line with content.
            while line > 1, isBlank(current.byteRange(ofLine: line), in: bytes) { line -= 1 }
            let range = current.byteRange(ofLine: line)
            guard !isBlank(range, in: bytes) else { return nil }
            bytes.replaceSubrange(range, with: repeatElement(UInt8(ascii: " "), count: range.count))
        }
        return nil
    }

    private static func isBlank(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
        bytes[range].allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }
}
