import WaybillDiagnostics

/// Finds the tag and the anchor before a value, because libyaml's events do not contain their locations.
enum PropertyScanner {
    /// Whether a tag or an anchor starts at an offset where a node starts.
    static func begins(at offset: Int, in file: SourceFile) -> Bool {
        file.bytes[offset] == UInt8(ascii: "&") || file.bytes[offset] == UInt8(ascii: "!")
    }

    /// Returns the tag and anchor of the node that an event starts, and the offset after them at which its value
    /// starts.
    static func scan(_ event: YAMLEvent, in file: SourceFile) -> (properties: YAMLProperties, valueStart: Int) {
        let bytes = file.bytes
        var tag: Spanned<String>?
        var anchor: Spanned<String>?
        var offset = event.start
        while offset < bytes.count, tag == nil || anchor == nil {
            if bytes[offset] == UInt8(ascii: "&"), anchor == nil, let name = event.anchor {
                let end = offset + 1 + name.utf8.count
                anchor = Spanned(name, at: file.span(offset..<end))
                offset = end
            } else if bytes[offset] == UInt8(ascii: "!"), tag == nil {
                let end = tagEnd(from: offset, in: bytes)
                tag = Spanned(String(decoding: bytes[offset..<end], as: UTF8.self), at: file.span(offset..<end))
                offset = end
            } else {
                break
            }
            let next = skippingSpace(from: offset, in: bytes)
            // After the properties of an empty value, another value may follow.
            if next >= event.end, event.end == offset { break }
            offset = next
        }
        return (YAMLProperties(tag: tag, anchor: anchor), valueStart(event, after: offset, in: bytes))
    }

    private static func valueStart(_ event: YAMLEvent, after offset: Int, in bytes: [UInt8]) -> Int {
        switch event.kind {
        case .mappingStart, .sequenceStart:
            if event.isFlow { return event.end - 1 }
            // The event of a block collection ends where the collection starts, except for a sequence that is not
            // indented against its key: there it ends after the first '-'.
            let isBehindDash = event.end == bytes.count || bytes[event.end] != UInt8(ascii: "-")
            if case .sequenceStart = event.kind, isBehindDash { return event.end - 1 }
            return event.end
        default:
            return min(offset, event.end)
        }
    }

    private static func tagEnd(from start: Int, in bytes: [UInt8]) -> Int {
        guard start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "<") else {
            return wordEnd(from: start, in: bytes)
        }
        return (bytes[start...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count - 1) + 1
    }

    private static func wordEnd(from start: Int, in bytes: [UInt8]) -> Int {
        let stops: [UInt8] = [0x20, 0x09, 0x2C, 0x5B, 0x5D, 0x7B, 0x7D]
        return (start..<bytes.count).first { stops.contains(bytes[$0]) || LineBreak.at($0, in: bytes) != nil }
            ?? bytes.count
    }

    /// Returns the offset after blanks, line breaks and comments.
    static func skippingSpace(from start: Int, in bytes: [UInt8]) -> Int {
        var offset = start
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x09:
                offset += 1
            case UInt8(ascii: "#") where offset > start:
                offset = (offset..<bytes.count).first { LineBreak.at($0, in: bytes) != nil } ?? bytes.count
            default:
                guard let lineBreak = LineBreak.at(offset, in: bytes) else { return offset }
                offset += lineBreak.source
            }
        }
        return offset
    }
}
