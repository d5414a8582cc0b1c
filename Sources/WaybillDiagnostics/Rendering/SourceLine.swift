/// A source line prepared for printing: control characters are replaced, tabs are expanded, and long lines are cut.
struct SourceLine {
    /// The text to print, with `…` where something is cut off.
    let text: String

    /// The visible characters.
    private let cells: [Cell]
    /// The column of the first visible character.
    private let indent: Int
    private let end: Int

    /// A character as the user perceives it, with its byte range and its width in columns.
    fileprivate struct Cell {
        var bytes: Range<Int>
        var text: String
        var width: Int
    }

    /// The width of a tab in columns.
    private static let tabWidth = 4

    /// Creates a line of a file.
    ///
    /// - Parameters:
    ///   - line: The bytes of the line, without its line break.
    ///   - marked: The bytes that must be visible. If they do not fit, their start is.
    ///   - width: The maximum number of columns to show.
    init(_ line: Range<Int>, of file: SourceFile, around marked: Range<Int>, width: Int) {
        // Only a window around the marked bytes is decoded, because a line may be megabytes long.
        let reach = width * 4
        let from =
            marked.lowerBound - line.lowerBound > reach
            ? Self.boundary(before: marked.lowerBound - reach, in: file) : line.lowerBound
        let to =
            line.upperBound - marked.lowerBound > 2 * reach
            ? Self.boundary(before: marked.lowerBound + 2 * reach, in: file) : line.upperBound
        let all = Self.cells(of: from..<to, in: file)

        let first = all.firstIndex { $0.bytes.upperBound > marked.lowerBound } ?? all.count
        let shown = Self.window(of: all, around: first, to: marked.upperBound, width: width)
        cells = Array(all[shown])
        let cutBefore = from > line.lowerBound || shown.lowerBound > 0
        let cutAfter = to < line.upperBound || shown.upperBound < all.count
        indent = cutBefore ? 1 : 0
        end = cells.reduce(indent) { $0 + $1.width }
        text = (cutBefore ? "…" : "") + cells.map(\.text).joined() + (cutAfter ? "…" : "")
    }

    /// Returns the columns, from 0, of a range of bytes; at least one, so that there is something to underline.
    func columns(of bytes: Range<Int>) -> Range<Int> {
        var (lower, upper): (Int?, Int) = (nil, indent)
        var column = indent
        for cell in cells {
            if lower == nil, cell.bytes.upperBound > bytes.lowerBound { lower = column }
            column += cell.width
            if cell.bytes.lowerBound < bytes.upperBound { upper = column }
        }
        let start = lower ?? end
        return start..<max(upper, start + 1)
    }

    /// Returns the start of the code point that contains an offset; the offset itself if the bytes are not UTF-8.
    private static func boundary(before offset: Int, in file: SourceFile) -> Int {
        var start = offset
        while start > max(0, offset - 3), file.bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return file.bytes[start] & 0xC0 == 0x80 ? offset : start
    }

    fileprivate static func cells(of range: Range<Int>, in file: SourceFile) -> [Cell] {
        var scalars = String.UnicodeScalarView()
        var lengths: [Int] = []
        var parser = Unicode.UTF8.ForwardParser()
        var bytes = file.bytes[range].makeIterator()
        reading: while true {
            switch parser.parseScalar(from: &bytes) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                scalars.append(PrintableText.steers(scalar) && scalar != "\t" ? "\u{FFFD}" : scalar)
                lengths.append(encoded.count)
            case .error(let length):
                scalars.append("\u{FFFD}")
                lengths.append(length)
            case .emptyInput:
                break reading
            }
        }
        let credentials = WrittenCredentials.ranges(in: range, of: file)
        var cells: [Cell] = []
        var (offset, index) = (range.lowerBound, 0)
        for character in String(scalars) {
            let count = character.unicodeScalars.count
            let length = lengths[index..<index + count].reduce(0, +)
            let width = character == "\t" ? tabWidth : DisplayWidth.of(character)
            let isHidden = credentials.contains { $0.contains(offset) }
            let text =
                isHidden
                ? String(repeating: "*", count: width)
                : character == "\t" ? String(repeating: " ", count: tabWidth) : String(character)
            cells.append(Cell(bytes: offset..<offset + length, text: text, width: width))
            offset += length
            index += count
        }
        return cells
    }

    /// Returns the visible cells: all if they fit; otherwise the marked ones, with as much context on both sides as
    /// fits.
    private static func window(of cells: [Cell], around first: Int, to end: Int, width: Int) -> Range<Int> {
        var room = width
        guard cells.reduce(0, { $0 + $1.width }) > width else { return 0..<cells.count }
        var (lower, upper) = (first, first)
        func takeAfter(while isWanted: (Cell) -> Bool = { _ in true }, leaving rest: Int = 0) {
            while upper < cells.count, isWanted(cells[upper]), room - cells[upper].width >= rest {
                room -= cells[upper].width
                upper += 1
            }
        }
        func takeBefore() {
            while lower > 0, room - cells[lower - 1].width >= 0 {
                lower -= 1
                room -= cells[lower].width
            }
        }
        takeAfter(while: { $0.bytes.lowerBound < end }, leaving: width / 2)
        // First a little of what follows, then what comes before, then more of what follows.
        takeAfter(leaving: room - min(room, width / 4))
        takeBefore()
        takeAfter()
        return lower..<upper
    }
}

extension SourceFile {
    /// Returns a line as a person may see it: with `*` for credentials that it contains, and without control characters.
    package func shownText(ofLine line: Int) -> String {
        SourceLine.cells(of: byteRange(ofLine: line), in: self).map(\.text).joined()
    }
}
