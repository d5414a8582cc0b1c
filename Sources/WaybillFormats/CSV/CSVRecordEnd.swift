/// Finds the ends of records in a text that arrives in pieces: the line breaks that are not between quotes.
///
/// It recognises the same quotes as `CSVFields`. If they are invalid, a record ends with its line.
struct CSVRecordEnd: Sendable {
    private enum State {
        /// The start of a field, the only position where a quote opens one.
        case fieldStart
        case unquoted
        case quoted
        /// After a quote in a quoted field: a second quote makes an escaped quote, anything else means that the field
        /// is closed.
        case quoteInQuoted
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var state = State.fieldStart
    /// The number of bytes of a byte order mark found at the start of the text; `nil` after any other byte.
    private var markLength: Int? = 0

    /// Returns the index of the line break that ends the record; `nil` if the record continues after the piece.
    mutating func scan(_ bytes: Span<UInt8>) -> Int? {
        var index = skipByteOrderMark(bytes)
        while index < bytes.count {
            let byte = bytes[index]
            switch state {
            case .quoted:
                if byte == UInt8(ascii: "\"") { state = .quoteInQuoted }
            case .quoteInQuoted where byte == UInt8(ascii: "\""):
                state = .quoted
            case .fieldStart where byte == UInt8(ascii: "\""):
                state = .quoted
            case .fieldStart, .unquoted, .quoteInQuoted:
                switch byte {
                case UInt8(ascii: ","): state = .fieldStart
                case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                    state = .fieldStart
                    return index
                default: state = .unquoted
                }
            }
            index += 1
        }
        return nil
    }

    private mutating func skipByteOrderMark(_ bytes: Span<UInt8>) -> Int {
        guard var length = markLength else { return 0 }
        var index = 0
        while index < bytes.count, length < Self.byteOrderMark.count, bytes[index] == Self.byteOrderMark[length] {
            index += 1
            length += 1
        }
        markLength = index < bytes.count || length == Self.byteOrderMark.count ? nil : length
        return index
    }
}
