import WaybillDiagnostics
import WaybillJSON

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
            let isAfterDash = event.end == bytes.count || bytes[event.end] != UInt8(ascii: "-")
            if case .sequenceStart = event.kind, isAfterDash { return event.end - 1 }
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
        return (start..<bytes.count).first { stops.contains(bytes[$0]) || LineBreak.length(at: $0, in: bytes) != nil }
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
                offset = (offset..<bytes.count).first { LineBreak.length(at: $0, in: bytes) != nil } ?? bytes.count
            default:
                guard let length = LineBreak.length(at: offset, in: bytes) else { return offset }
                offset += length
            }
        }
        return offset
    }
}

/// Checks whether a value matches its explicit tag. Only the tags of the core schema are known.
struct TagCheck {
    private let written: Spanned<String>
    private let kind: Kind

    /// The kinds of value that a tag requires, in words.
    private enum Kind: String {
        case string = "a string"
        case integer = "an integer"
        case float = "a number"
        case boolean = "a boolean"
        case null
        case sequence = "a list"
        case mapping = "a mapping"
        /// `!` alone: the value is not resolved by its content.
        case nonSpecific
        case unknown
    }

    /// Creates a check for a tag as written and with its handle expanded; libyaml drops a lone `!` there.
    init(_ written: Spanned<String>, expanded: String?) {
        self.written = written
        kind =
            switch expanded {
            case "tag:yaml.org,2002:str": .string
            case "tag:yaml.org,2002:int": .integer
            case "tag:yaml.org,2002:float": .float
            case "tag:yaml.org,2002:bool": .boolean
            case "tag:yaml.org,2002:null": .null
            case "tag:yaml.org,2002:seq": .sequence
            case "tag:yaml.org,2002:map": .mapping
            case nil, "!": .nonSpecific
            default: .unknown
            }
    }

    /// Returns how a scalar with this tag is resolved; `nil` if its content determines that, because the tag does not
    /// match.
    func scalarTag(for text: String) -> YAMLScalar.Tag? {
        guard matches(text) else { return nil }
        return switch kind {
        case .string, .nonSpecific: .string
        case .integer: .integer
        case .float: .float
        case .boolean: .boolean
        case .null: .null
        case .sequence, .mapping, .unknown: nil
        }
    }

    /// Returns the error in the tag of a scalar, if there is one.
    func diagnosticForScalar(_ text: String, at span: SourceSpan) -> Diagnostic? {
        if kind == .unknown { return unknown }
        guard !matches(text) else { return nil }
        return Diagnostic(
            "tag-mismatch",
            "the value does not match its tag \(written.value.shortened): expected \(kind.rawValue)",
            at: span,
            secondary: [.init(written.span, "the tag")]
        )
    }

    /// Returns the error in the tag of a sequence or mapping, if there is one.
    func diagnosticForCollection(isMapping: Bool) -> Diagnostic? {
        switch kind {
        case .unknown:
            return unknown
        case .nonSpecific:
            return nil
        case .sequence where !isMapping, .mapping where isMapping:
            return nil
        default:
            let found = isMapping ? "a mapping" : "a list"
            return Diagnostic(
                "tag-mismatch",
                "the value does not match its tag \(written.value.shortened): expected \(kind.rawValue), found \(found)",
                at: written.span
            )
        }
    }

    private func matches(_ text: String) -> Bool {
        switch kind {
        case .string, .nonSpecific, .unknown: true
        case .integer: CoreSchema.isInteger(text)
        case .float: CoreSchema.value(of: text).number != nil || CoreSchema.isNotFinite(text)
        case .boolean: CoreSchema.value(of: text).bool != nil
        case .null: CoreSchema.value(of: text).kind == .null
        case .sequence, .mapping: false
        }
    }

    private var unknown: Diagnostic {
        Diagnostic(
            "unknown-tag",
            "unknown tag \(written.value.shortened)",
            at: written.span,
            help: [
                "A string that starts with '!' must be quoted.",
                "The tags of YAML's core schema can be used: !!str !!int !!float !!bool !!null !!seq !!map.",
            ]
        )
    }
}
