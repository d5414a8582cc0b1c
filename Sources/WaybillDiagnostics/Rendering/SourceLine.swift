/// A line of a source made fit to print: characters that steer terminals replaced, tabs widened, cut where it is too wide.
struct SourceLine {
    /// What is printed; `…` stands where something is cut off.
    let text: String

    /// What is shown, character by character.
    private let cells: [Cell]
    /// The column at which the first of them stands.
    private let indent: Int
    private let end: Int

    /// What a person sees as one character: which bytes it is and how many columns it takes.
    private struct Cell {
        var bytes: Range<Int>
        var text: String
        var width: Int
    }

    /// How many columns a tab takes.
    private static let tabWidth = 4

    /// A line of a file.
    ///
    /// - Parameters:
    ///   - line: The bytes of the line, without its line break.
    ///   - marked: The bytes that must be seen; of a long part, its beginning.
    ///   - width: The greatest number of columns to show.
    init(_ line: Range<Int>, of file: SourceFile, around marked: Range<Int>, width: Int) {
        // Only a window around what is marked is ever decoded: a line may have megabytes.
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

    /// The columns, from 0, of a range of bytes; at least one, so that there is something to underline.
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

    /// The beginning of the code point that an offset is in. Bytes that are no UTF-8 are not searched for one.
    private static func boundary(before offset: Int, in file: SourceFile) -> Int {
        var start = offset
        while start > max(0, offset - 3), file.bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return file.bytes[start] & 0xC0 == 0x80 ? offset : start
    }

    private static func cells(of range: Range<Int>, in file: SourceFile) -> [Cell] {
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
        let passwords = UserInformation.passwords(in: file.bytes[range])
        var cells: [Cell] = []
        var (offset, index) = (range.lowerBound, 0)
        for character in String(scalars) {
            let count = character.unicodeScalars.count
            let length = lengths[index..<index + count].reduce(0, +)
            let width = character == "\t" ? tabWidth : DisplayWidth.of(character)
            let isHidden = passwords.contains { $0.contains(offset) }
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

    /// Which cells are shown: all if they fit, else those that are marked, with as much on both sides as there is room for.
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
        // A little of what follows, then what is before, then more of what follows.
        takeAfter(leaving: room - min(room, width / 4))
        takeBefore()
        takeAfter()
        return lower..<upper
    }
}
