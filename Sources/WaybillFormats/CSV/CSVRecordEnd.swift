/// Finds where records end in a text that comes in pieces: at a line break that does not stand between quotes.
///
/// It takes the same bytes for quotes as `CSVFields` does; where those go wrong, a record ends with its line.
struct CSVRecordEnd: Sendable {
    private enum State {
        /// Where a field begins: a quote opens one here and nowhere else.
        case fieldStart
        case unquoted
        case quoted
        /// Behind a quote in a quoted field: another makes one quote of both, anything else has closed the field.
        case quoteInQuoted
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var state = State.fieldStart
    /// How many bytes of a byte order mark have come at the start of the text; `nil` when something else has.
    private var markLength: Int? = 0

    /// The index of the line break that ends the record; `nil` where it goes on beyond the piece.
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
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

    private mutating func skipByteOrderMark(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
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
