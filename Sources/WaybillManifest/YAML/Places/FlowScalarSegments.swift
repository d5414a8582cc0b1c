import WaybillDiagnostics

/// The parts of a plain or quoted scalar: verbatim runs, escapes, and folded line breaks.
struct FlowScalarSegments {
    private let bytes: [UInt8]
    private let style: YAMLScalar.Style
    private let end: Int
    private var offset: Int
    private var segments: [ScalarSegment] = []

    static func of(_ scalar: YAMLScalar) -> [ScalarSegment] {
        var walk = FlowScalarSegments(scalar)
        while walk.offset < walk.end { walk.step() }
        return walk.segments
    }

    private init(_ scalar: YAMLScalar) {
        bytes = scalar.span.file.bytes
        style = scalar.style
        let quote = style == .plain ? 0 : 1
        offset = scalar.span.range.lowerBound + quote
        end = scalar.span.range.upperBound - quote
    }

    private mutating func step() {
        switch bytes[offset] {
        case UInt8(ascii: "'") where style == .singleQuoted:
            take(2, textLength: 1)
        case UInt8(ascii: "\\") where style == .doubleQuoted:
            escape()
        default:
            if isBlank(offset) || LineBreak.at(offset, in: bytes) != nil { blanks() } else { run() }
        }
    }

    /// Adds the bytes up to the next one that can have a special meaning.
    private mutating func run() {
        let start = offset
        repeat { offset += 1 } while offset < end && !isSpecial(offset)
        add(.verbatim(start..<offset))
    }

    private func isSpecial(_ offset: Int) -> Bool {
        switch bytes[offset] {
        case UInt8(ascii: "'"): style == .singleQuoted
        case UInt8(ascii: "\\"): style == .doubleQuoted
        default: isBlank(offset) || LineBreak.at(offset, in: bytes) != nil
        }
    }

    private func isBlank(_ offset: Int) -> Bool {
        bytes[offset] == 0x20 || bytes[offset] == 0x09
    }

    /// Adds blanks. Within a line they are kept; around a line break they are removed, and the break is folded.
    private mutating func blanks() {
        let start = offset
        while offset < end, isBlank(offset) { offset += 1 }
        guard offset < end, let first = LineBreak.at(offset, in: bytes) else {
            add(.verbatim(start..<offset))
            return
        }
        let firstBreak = offset..<offset + first.source
        offset = firstBreak.upperBound
        let others = followingBreaks()
        if first.text > 1 {
            add(.replaced(firstBreak, textLength: first.text))
        } else if others.isEmpty {
            add(.replaced(start..<offset, textLength: 1))
        }
        for other in others { add(other) }
    }

    /// Returns the line breaks after a first one, and skips the blanks around them.
    private mutating func followingBreaks() -> [ScalarSegment] {
        var breaks: [ScalarSegment] = []
        while offset < end {
            if let lineBreak = LineBreak.at(offset, in: bytes) {
                breaks.append(.replaced(offset..<offset + lineBreak.source, textLength: lineBreak.text))
                offset += lineBreak.source
            } else if isBlank(offset) {
                offset += 1
            } else {
                break
            }
        }
        return breaks
    }

    private mutating func escape() {
        if let lineBreak = LineBreak.at(offset + 1, in: bytes) {
            offset += 1 + lineBreak.source
            for other in followingBreaks() { add(other) }
            return
        }
        guard offset + 1 < end else { return take(1, textLength: 1) }
        switch bytes[offset + 1] {
        case UInt8(ascii: "x"): codePoint(digits: 2)
        case UInt8(ascii: "u"): codePoint(digits: 4)
        case UInt8(ascii: "U"): codePoint(digits: 8)
        case UInt8(ascii: "N"), UInt8(ascii: "_"): take(2, textLength: 2)  // U+0085, U+00A0
        case UInt8(ascii: "L"), UInt8(ascii: "P"): take(2, textLength: 3)  // U+2028, U+2029
        default: take(2, textLength: 1)
        }
    }

    private mutating func codePoint(digits: Int) {
        let text = String(decoding: bytes[(offset + 2)..<min(offset + 2 + digits, end)], as: UTF8.self)
        let scalar = UInt32(text, radix: 16).flatMap { Unicode.Scalar($0) }
        take(2 + digits, textLength: scalar.map { UTF8.width($0) } ?? 1)
    }

    private mutating func take(_ length: Int, textLength: Int) {
        let start = offset
        offset = min(offset + length, end)
        add(.replaced(start..<offset, textLength: textLength))
    }

    /// Adds a segment, joined with the last one if both are verbatim and adjacent.
    private mutating func add(_ segment: ScalarSegment) {
        if segment.isVerbatim, let last = segments.last, last.isVerbatim,
            last.source.upperBound == segment.source.lowerBound
        {
            segments[segments.count - 1] = .verbatim(last.source.lowerBound..<segment.source.upperBound)
        } else {
            segments.append(segment)
        }
    }
}
