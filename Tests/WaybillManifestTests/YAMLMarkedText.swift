import Testing
import WaybillDiagnostics

/// A source with a marked part, such as `a: «b»`. The marks are removed, and the part is stored as a byte range.
struct YAMLMarkedText: CustomStringConvertible, Sendable {
    let description: String
    let file: SourceFile
    /// The marked part; empty if it marks a position.
    let range: Range<Int>

    init(_ marked: String) {
        description = marked
        var bytes: [UInt8] = []
        var places: [Int] = []
        for scalar in marked.unicodeScalars {
            if scalar == "«" || scalar == "»" {
                places.append(bytes.count)
            } else {
                bytes += Array(String(scalar).utf8)
            }
        }
        file = SourceFile(name: "test.yaml", bytes: bytes)
        range = places.count == 2 ? places[0]..<places[1] : 0..<0
    }

    /// The source with a span marked, to compare with the expected one.
    func marking(_ span: SourceSpan?) -> String? {
        guard let range = span?.range else { return nil }
        let bytes = file.bytes
        return String(decoding: bytes[..<range.lowerBound], as: UTF8.self) + "«"
            + String(decoding: bytes[range], as: UTF8.self) + "»"
            + String(decoding: bytes[range.upperBound...], as: UTF8.self)
    }
}

extension SourceFile {
    /// A source file for tests.
    convenience init(yaml text: String) {
        self.init(name: "test.yaml", text: text)
    }
}
