/// The lines of an NDJSON text that are not blank, as byte ranges without the line breaks.
package struct NDJSONLines: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private var start = 0
    /// The number of the last returned line, from 1.
    package private(set) var number = 0

    /// Creates a sequence of the lines of a text.
    package init(_ text: [UInt8]) {
        self.text = text
    }

    package mutating func next() -> Range<Int>? {
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            let line = start..<end
            start = end + 1
            number += 1
            if !text[line].allSatisfy({ $0 <= UInt8(ascii: " ") }) { return line }
        }
        return nil
    }
}
