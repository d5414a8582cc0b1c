import CLibYAML
import WaybillDiagnostics

/// An event of the parser, with locations as byte offsets into the file.
struct YAMLEvent {
    /// The kinds of event that the tree is built from.
    enum Kind {
        case documentStart
        /// An event that the tree does not need.
        case other
        case alias
        case scalar(YAMLScalar.Style)
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
    }

    var kind: Kind
    /// The start of the event; for a node with a tag or an anchor, the start of the first of those.
    var start: Int
    /// The end of the event. For the end of a block collection, this is after comments and blank lines that follow.
    var end: Int
    /// Whether a collection is written with brackets.
    var isFlow = false
    /// The name of the node's anchor, or of the anchor that an alias refers to.
    var anchor: String?
    /// The node's tag with its handle expanded: `tag:yaml.org,2002:str` for `!!str`.
    var tag: String?
}

/// Why the parser stopped, in libyaml's words; `SyntaxError` translates them.
struct YAMLFailure {
    /// What was found or is missing: `did not find expected key`.
    var problem: String
    /// Where the problem was detected.
    var problemOffset: Int
    /// What was being read: `while parsing a block mapping`.
    var context: String
    /// The start of the context.
    var contextOffset: Int
}

/// libyaml's event parser, wrapped in one function: no C pointer leaves this file.
enum YAMLEventParser {
    /// Passes the events of a file, which `TextCheck` must accept, to `body` one by one, with the content of a scalar
    /// in UTF-8, until `body` returns `false` or the file ends.
    ///
    /// - Returns: Why the parser had to stop, if it did.
    static func parse(_ file: SourceFile, _ body: (YAMLEvent, [UInt8]) -> Bool) -> YAMLFailure? {
        let prefix = file.byteOrderMarkLength
        let text = Array(file.bytes[prefix...])
        let pairs = SurrogatePairs(text)
        return unsafe (pairs?.text ?? text).withUnsafeBufferPointer { input -> YAMLFailure? in
            // The parser keeps a pointer to itself, so it must not move.
            let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
            defer { unsafe parser.deallocate() }
            guard unsafe yaml_parser_initialize(parser) == 1 else { return outOfMemory }
            defer { unsafe yaml_parser_delete(parser) }

            unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            if let start = input.baseAddress { unsafe yaml_parser_set_input_string(parser, start, input.count) }

            var cursor = CodePointCursor(bytes: file.bytes, origin: prefix)
            var event = unsafe yaml_event_t()
            while true {
                guard unsafe yaml_parser_parse(parser, &event) == 1 else {
                    return unsafe failure(of: parser.pointee, &cursor)
                }
                defer { unsafe yaml_event_delete(&event) }
                if unsafe event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT { return nil }
                let scalar = unsafe scalarText(event)
                if unsafe !body(converted(event, &cursor), pairs?.restored(scalar) ?? scalar) { return nil }
            }
        }
    }

    /// Returns an event for the tree.
    private static func converted(_ event: yaml_event_t, _ cursor: inout CodePointCursor) -> YAMLEvent {
        let kind = unsafe kind(of: event)
        var converted = unsafe YAMLEvent(
            kind: kind,
            start: cursor.byteOffset(ofCodePoint: event.start_mark.index),
            end: cursor.byteOffset(ofCodePoint: event.end_mark.index)
        )
        switch kind {
        case .alias: converted.anchor = unsafe text(event.data.alias.anchor)
        case .scalar:
            converted.anchor = unsafe text(event.data.scalar.anchor)
            converted.tag = unsafe text(event.data.scalar.tag)
        case .sequenceStart:
            converted.isFlow = unsafe event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
            converted.anchor = unsafe text(event.data.sequence_start.anchor)
            converted.tag = unsafe text(event.data.sequence_start.tag)
        case .mappingStart:
            converted.isFlow = unsafe event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
            converted.anchor = unsafe text(event.data.mapping_start.anchor)
            converted.tag = unsafe text(event.data.mapping_start.tag)
        case .documentStart, .sequenceEnd, .mappingEnd, .other: break
        }
        return converted
    }

    private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
        switch unsafe event.type {
        case YAML_DOCUMENT_START_EVENT: .documentStart
        case YAML_ALIAS_EVENT: .alias
        case YAML_SCALAR_EVENT: unsafe .scalar(style(event.data.scalar.style))
        case YAML_SEQUENCE_START_EVENT: .sequenceStart
        case YAML_MAPPING_START_EVENT: .mappingStart
        case YAML_SEQUENCE_END_EVENT: .sequenceEnd
        case YAML_MAPPING_END_EVENT: .mappingEnd
        default: .other
        }
    }

    /// Returns the content of a scalar.
    private static func scalarText(_ event: yaml_event_t) -> [UInt8] {
        guard unsafe event.type == YAML_SCALAR_EVENT else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length))
    }

    private static func failure(of parser: yaml_parser_t, _ cursor: inout CodePointCursor) -> YAMLFailure {
        guard unsafe parser.error != YAML_MEMORY_ERROR, let problem = unsafe parser.problem else { return outOfMemory }
        return unsafe YAMLFailure(
            problem: String(cString: problem),
            problemOffset: cursor.byteOffset(ofCodePoint: parser.problem_mark.index),
            context: parser.context.map { unsafe String(cString: $0) } ?? "",
            contextOffset: unsafe cursor.byteOffset(ofCodePoint: parser.context_mark.index)
        )
    }

    private static let outOfMemory = YAMLFailure(
        problem: "there is not enough memory to read the file",
        problemOffset: 0,
        context: "",
        contextOffset: 0
    )

    private static func style(_ style: yaml_scalar_style_t) -> YAMLScalar.Style {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
        case YAML_LITERAL_SCALAR_STYLE: .literal
        case YAML_FOLDED_SCALAR_STYLE: .folded
        default: .plain
        }
    }

    private static func text(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        unsafe text.map { unsafe String(decodingCString: $0, as: UTF8.self) }
    }
}

/// Converts libyaml's code point offsets to byte offsets.
///
/// The marks of successive events hardly ever go back, so walking from the last location is cheap.
private struct CodePointCursor {
    private let bytes: [UInt8]
    private let origin: Int
    private var codePoint = 0
    private var offset: Int

    init(bytes: [UInt8], origin: Int) {
        self.bytes = bytes
        self.origin = origin
        offset = origin
    }

    mutating func byteOffset(ofCodePoint wanted: Int) -> Int {
        while codePoint < wanted, offset < bytes.count {
            offset += 1
            while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
            codePoint += 1
        }
        while codePoint > wanted, offset > origin {
            offset -= 1
            while offset > origin, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
            codePoint -= 1
        }
        return offset
    }
}
