import WaybillJSON

/// The lines of an NDJSON text that are not blank, as byte ranges without the line breaks. Only what is white space in
/// JSON is blank.
package struct NDJSONLines: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private let stopsAtLimit: Bool
    private var limit = WorkLimit.Check()
    private var start = 0
    /// The number of the last returned line, from 1.
    package private(set) var number = 0

    /// Creates a sequence of the lines of a text.
    ///
    /// - Parameter stopsAtLimit: Whether it ends early once `WorkLimit` is reached, as it must for data from a server.
    package init(_ text: [UInt8], stopsAtLimit: Bool = false) {
        self.text = text
        self.stopsAtLimit = stopsAtLimit
    }

    package mutating func next() -> Range<Int>? {
        while start < text.count {
            if limit.isReached(at: start), stopsAtLimit { return nil }
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            let line = start..<end
            start = end + 1
            number += 1
            if !text[line].allSatisfy(Self.isBlank) { return line }
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
