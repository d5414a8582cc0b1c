/// Reads the parts of a text from a position in its bytes.
protocol TextScanner {
    var bytes: [UInt8] { get }
    var position: Int { get set }
}

extension TextScanner {
    /// The byte at the position as a character, of which only those of ASCII mean themselves; nil at the end.
    var next: Unicode.Scalar? { peek(0) }

    /// The byte at a distance from the position.
    func peek(_ distance: Int) -> Unicode.Scalar? {
        position + distance < bytes.count ? Unicode.Scalar(bytes[position + distance]) : nil
    }

    /// Whether a mark is at the position, or at an offset.
    func has(_ mark: String, at offset: Int? = nil) -> Bool {
        bytes.dropFirst(offset ?? position).starts(with: mark.utf8)
    }

    /// Reads a mark if it is there.
    mutating func take(_ mark: String) -> Bool {
        guard has(mark) else { return false }
        position += mark.utf8.count
        return true
    }

    /// Skips some bytes, at most to the end.
    mutating func advance(_ count: Int = 1) { position = min(position + count, bytes.count) }

    /// Reads the characters that meet a condition.
    @discardableResult mutating func read(while matches: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let next, matches(next) { position += 1 }
        return text(start..<position)
    }

    /// Reads up to a mark, which is skipped, or to the end.
    mutating func read(to mark: String) -> String {
        let start = position
        let end = range(of: mark, from: start) ?? bytes.count..<bytes.count
        position = end.upperBound
        return text(start..<end.lowerBound)
    }

    /// Skips spaces and tabs.
    mutating func skipSpaces() { read { $0 == " " || $0 == "\t" } }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The range of the first mark from an offset on.
    func range(of mark: String, from start: Int) -> Range<Int>? {
        bytes.dropFirst(start).firstRange(of: Array(mark.utf8))
    }

    /// The end of the line that contains an offset.
    func lineEnd(from start: Int) -> Int {
        bytes.dropFirst(start).firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    }

    // MARK: Escapes

    /// Reads the control character that one of some letters means after a backslash: `n` is a line break.
    mutating func readControl(_ letters: String) -> UInt8? {
        guard let next, letters.unicodeScalars.contains(next), let control = controls[next] else { return nil }
        position += 1
        return control
    }

    /// Reads up to some digits as a number.
    mutating func readNumber(digits count: Int, radix: Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next.flatMap({ UInt32(String($0), radix: radix) }) else { break }
            value = value &* UInt32(radix) &+ digit
            position += 1
        }
        return value
    }

    /// Reads the digits of a code point.
    mutating func readScalar(digits count: Int) -> [UInt8] {
        Array(String(Unicode.Scalar(readNumber(digits: count, radix: 16)) ?? "\u{FFFD}").utf8)
    }
}

private let controls: [Unicode.Scalar: UInt8] = [
    "0": 0, "a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "e": 27, "E": 27,
]
