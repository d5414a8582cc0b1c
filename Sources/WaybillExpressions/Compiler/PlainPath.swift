/// A path of members and elements only, such as `steps.login.outputs.token` or `$.items[0].id`.
///
/// Nearly every expression of a manifest is such a path. It is parsed and compiled in one pass, in a small part of the
/// time that `ExpressionParser` and `ExpressionCompiler` take, with the same result.
struct PlainPath {
    let query: CompiledQuery
    let reference: Reference

    /// Creates the path of a text; `nil` if the text is anything else, or invalid.
    ///
    /// - Parameter offset: Where the text starts in a larger text, which the ranges of the reference refer to.
    init?(_ text: String, embeddedAt offset: Int = 0) {
        var copy = text
        guard let path = copy.withUTF8({ PlainPath($0, text, offset) }) else { return nil }
        self = path
    }

    /// - Parameter bytes: The text in UTF-8.
    private init?(_ bytes: UnsafeBufferPointer<UInt8>, _ text: String, _ offset: Int) {
        guard let reading = PlainPathReading(bytes, offset) else { return nil }
        let range = reading.start..<reading.end
        let path = CompiledPath(
            segments: reading.segments,
            isSingular: true,
            text: range == 0..<text.utf8.count ? text : reading.text,
            ends: reading.ends
        )
        query = CompiledQuery(root: reading.name.map { .name($0) } ?? .document, path: path, range: range)
        reference = Reference(
            name: reading.name ?? "$",
            nameRange: (reading.start..<reading.start + reading.ends[0]).moved(by: offset),
            segments: reading.keys,
            range: range.moved(by: offset)
        )
    }
}

/// The state of parsing a plain path.
private struct PlainPathReading {
    /// The name that the path starts with; `nil` for `$`.
    private(set) var name: String?
    private(set) var segments: [CompiledSegment] = []
    private(set) var keys: [Reference.Segment] = []
    private(set) var ends: [Int] = []
    private(set) var text = ""
    let start: Int
    private(set) var end: Int
    /// Where the text starts in a larger text, which the ranges of the keys refer to.
    private let offset: Int

    init?(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int) {
        guard bytes.count <= ExpressionParser.maximumLength else { return nil }
        self.offset = offset
        start = Self.skipSpace(bytes, from: 0)
        end = start
        guard start < bytes.count, readRoot(bytes) else { return nil }
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: ".") {
                guard readMember(bytes) else { return nil }
            } else if bytes[end] == UInt8(ascii: "[") {
                guard readElement(bytes) else { return nil }
            } else {
                break
            }
        }
        guard Self.skipSpace(bytes, from: end) == bytes.count else { return nil }
        if end - start < bytes.count { text = Self.text(bytes, start..<end) }
    }

    private mutating func readRoot(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if bytes[start] == UInt8(ascii: "$") {
            end += 1
        } else {
            guard let range = Self.name(bytes, from: start) else { return false }
            let name = Self.text(bytes, range)
            guard name != "true", name != "false", name != "null" else { return false }
            self.name = name
            end = range.upperBound
        }
        let count = bytes[end...].count { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }
        segments.reserveCapacity(count)
        keys.reserveCapacity(count)
        ends.reserveCapacity(count + 1)
        ends.append(end - start)
        return true
    }

    private mutating func readMember(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let range = Self.name(bytes, from: end + 1) else { return false }
        let name = Self.text(bytes, range)
        end = range.upperBound
        segments.append(.name(name))
        keys.append(Reference.Segment(key: .name(name), range: range.moved(by: offset)))
        ends.append(end - start)
        return true
    }

    private mutating func readElement(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = end + 1
        var index = 0
        while position < bytes.count, ExpressionParser.isDigit(bytes[position]), position < end + 16 {
            index = index * 10 + Int(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        let range = end + 1..<position
        guard !range.isEmpty, position < bytes.count, bytes[position] == UInt8(ascii: "]") else { return false }
        if range.count > 1, bytes[range.lowerBound] == UInt8(ascii: "0") { return false }
        end = position + 1
        segments.append(.index(index))
        keys.append(Reference.Segment(key: .index(index), range: range.moved(by: offset)))
        ends.append(end - start)
        return true
    }

    /// Returns the range of the name that starts at a position; `nil` if none starts there, or if it is not ASCII.
    private static func name(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Range<Int>? {
        guard start < bytes.count, ExpressionParser.isNameStart(bytes[start]) else { return nil }
        var end = start
        while end < bytes.count {
            var next = end
            while next < bytes.count, bytes[next] == UInt8(ascii: "-") { next += 1 }
            guard next < bytes.count, ExpressionParser.isNameByte(bytes[next]) else { break }
            if bytes[next] >= 0x80 { return nil }
            end = next + 1
        }
        return start..<end
    }

    private static func skipSpace(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var position = start
        while position < bytes.count, ExpressionParser.isSpace(bytes[position]) { position += 1 }
        return position
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
}
