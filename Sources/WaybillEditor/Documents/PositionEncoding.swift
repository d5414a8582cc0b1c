import WaybillDiagnostics
import WaybillJSON

/// How the characters of a line are counted in positions, as negotiated with the client.
enum PositionEncoding: String {
    case utf8 = "utf-8"
    case utf16 = "utf-16"
    case utf32 = "utf-32"

    /// Returns the encoding that a client prefers; UTF-16 if it offers none, as before LSP 3.17.
    static func preferred(of offered: [String]) -> PositionEncoding {
        offered.lazy.compactMap(PositionEncoding.init).first ?? .utf16
    }

    /// Returns the number of units of the code point that a byte starts; 0 for the other bytes of a code point.
    fileprivate func units(of byte: UInt8) -> Int {
        switch self {
        case .utf8: 1
        case .utf16: byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
        case .utf32: byte & 0xC0 == 0x80 ? 0 : 1
        }
    }

    /// Returns the byte offset of a position `{line, character}`; `nil` if that is not a position. A character after the end of
    /// its line is its end, one within a code point the start of that, and a line after the last one the end of the text.
    func offset(of position: JSON?, in file: SourceFile) -> Int? {
        guard let line = position?["line"]?.number?.int, let character = position?["character"]?.number?.int, line >= 0,
            character >= 0
        else { return nil }
        guard line < file.lineCount else { return file.bytes.count }
        let range = file.byteRange(ofLine: line + 1)
        var offset = range.lowerBound
        var units = 0
        while offset < range.upperBound {
            var end = offset + 1
            while end < range.upperBound, file.bytes[end] & 0xC0 == 0x80 { end += 1 }
            units += self == .utf8 ? end - offset : self.units(of: file.bytes[offset])
            if units > character { return offset }
            offset = end
        }
        return offset
    }

    /// Returns the byte range of a range `{start, end}`; `nil` if that is not a range. One whose end is before its start is
    /// empty.
    func byteRange(of range: JSON?, in file: SourceFile) -> Range<Int>? {
        guard let start = offset(of: range?["start"], in: file), let end = offset(of: range?["end"], in: file) else {
            return nil
        }
        return start..<max(start, end)
    }
}

/// Converts offsets of a text to positions. Increasing offsets in one line are counted once.
struct PositionWriter {
    private let file: SourceFile
    private let encoding: PositionEncoding
    private var last = (line: -1, offset: 0, character: 0)

    init(_ file: SourceFile, _ encoding: PositionEncoding) {
        (self.file, self.encoding) = (file, encoding)
    }

    /// Returns `{line, character}`.
    mutating func position(at offset: Int) -> JSON {
        let line = file.line(at: offset)
        let range = file.byteRange(ofLine: line)
        let offset = min(max(offset, range.lowerBound), range.upperBound)
        if last.line != line || last.offset > offset { last = (line, range.lowerBound, 0) }
        last.character += file.bytes[last.offset..<offset].reduce(0) { $0 + encoding.units(of: $1) }
        last.offset = offset
        return ["line": .number(JSONNumber(line - 1)), "character": .number(JSONNumber(last.character))]
    }

    /// Returns `{start, end}`.
    mutating func range(_ range: Range<Int>) -> JSON {
        ["start": position(at: range.lowerBound), "end": position(at: range.upperBound)]
    }
}
