import Testing
import WaybillDiagnostics

/// A text with one part marked: `a: «b»`; marks are taken out, and the part is remembered as a byte range.
struct YAMLMarkedText: CustomStringConvertible, Sendable {
    let description: String
    let file: SourceFile
    /// The marked part; an empty one is a place.
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

    /// The text with a span marked, to compare with what was expected.
    func marking(_ span: SourceSpan?) -> String? {
        guard let range = span?.range else { return nil }
        let bytes = file.bytes
        return String(decoding: bytes[..<range.lowerBound], as: UTF8.self) + "«"
            + String(decoding: bytes[range], as: UTF8.self) + "»"
            + String(decoding: bytes[range.upperBound...], as: UTF8.self)
    }
}

extension SourceFile {
    /// A file of a text, for tests.
    convenience init(yaml text: String) {
        self.init(name: "test.yaml", text: text)
    }
}
