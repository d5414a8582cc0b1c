import CLibYAML
import WaybillDiagnostics

/// libyaml's event parser, behind one function: no C pointer leaves this file.
enum YAMLEventParser {
    /// Hands the events of a file to `body` one by one, with the text of a scalar in UTF-8, until that returns `false` or
    /// the file is at its end.
    ///
    /// The text must be valid UTF-8 without forbidden control characters (`TextCheck`), with a byte order mark of
    /// `prefix` bytes or none.
    ///
    /// - Returns: why the parser had to stop, if it had to.
    static func parse(
        _ file: SourceFile,
        skipping prefix: Int,
        _ body: (YAMLEvent, Span<UInt8>) -> Bool
    ) -> YAMLFailure? {
        file.bytes.withUnsafeBufferPointer { bytes -> YAMLFailure? in
            // The parser keeps a pointer to itself, so it must not move.
            let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
            defer { parser.deallocate() }
            guard yaml_parser_initialize(parser) == 1 else { return outOfMemory }
            defer { yaml_parser_delete(parser) }

            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            let text = UnsafeBufferPointer(rebasing: bytes[prefix...])
            if let start = text.baseAddress { yaml_parser_set_input_string(parser, start, text.count) }

            var cursor = CodePointCursor(bytes: bytes, origin: prefix)
            var event = yaml_event_t()
            while true {
                guard yaml_parser_parse(parser, &event) == 1 else { return failure(of: parser.pointee, &cursor) }
                defer { yaml_event_delete(&event) }
                if event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT { return nil }
                if let converted = converted(event, &cursor), !body(converted, scalarText(event).span) { return nil }
            }
        }
    }

    private static func converted(_ event: yaml_event_t, _ cursor: inout CodePointCursor) -> YAMLEvent? {
        let start = cursor.byteOffset(ofCodePoint: event.start_mark.index)
        let end = cursor.byteOffset(ofCodePoint: event.end_mark.index)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            return YAMLEvent(kind: .documentStart, start: start, end: end)
        case YAML_DOCUMENT_END_EVENT:
            return YAMLEvent(kind: .documentEnd, start: start, end: end)
        case YAML_ALIAS_EVENT:
            let properties = properties(anchor: event.data.alias.anchor, tag: nil)
            return YAMLEvent(kind: .alias, start: start, end: end, properties: properties)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            return YAMLEvent(
                kind: .scalar(style(scalar.style)),
                start: start,
                end: end,
                properties: properties(anchor: scalar.anchor, tag: scalar.tag)
            )
        case YAML_SEQUENCE_START_EVENT:
            let sequence = event.data.sequence_start
            return YAMLEvent(
                kind: .sequenceStart,
                start: start,
                end: end,
                properties: properties(anchor: sequence.anchor, tag: sequence.tag),
                isFlow: sequence.style == YAML_FLOW_SEQUENCE_STYLE
            )
        case YAML_MAPPING_START_EVENT:
            let mapping = event.data.mapping_start
            return YAMLEvent(
                kind: .mappingStart,
                start: start,
                end: end,
                properties: properties(anchor: mapping.anchor, tag: mapping.tag),
                isFlow: mapping.style == YAML_FLOW_MAPPING_STYLE
            )
        case YAML_SEQUENCE_END_EVENT:
            return YAMLEvent(kind: .sequenceEnd, start: start, end: end)
        case YAML_MAPPING_END_EVENT:
            return YAMLEvent(kind: .mappingEnd, start: start, end: end)
        default:
            return nil
        }
    }

    /// The text of a scalar, as long as the event is not deleted.
    private static func scalarText(_ event: yaml_event_t) -> UnsafeBufferPointer<UInt8> {
        guard event.type == YAML_SCALAR_EVENT else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length)
    }

    private static func failure(of parser: yaml_parser_t, _ cursor: inout CodePointCursor) -> YAMLFailure {
        guard parser.error != YAML_MEMORY_ERROR, let problem = parser.problem else { return outOfMemory }
        return YAMLFailure(
            problem: String(cString: problem),
            problemOffset: cursor.byteOffset(ofCodePoint: parser.problem_mark.index),
            context: parser.context.map { String(cString: $0) } ?? "",
            contextOffset: cursor.byteOffset(ofCodePoint: parser.context_mark.index)
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

    private static func properties(
        anchor: UnsafeMutablePointer<yaml_char_t>?,
        tag: UnsafeMutablePointer<yaml_char_t>?
    ) -> YAMLEvent.Properties? {
        if anchor == nil && tag == nil { return nil }
        let texts = [anchor, tag].map { $0.map { String(decodingCString: $0, as: UTF8.self) } }
        return YAMLEvent.Properties(anchor: texts[0], tag: texts[1])
    }
}

/// Turns libyaml's counts of code points into byte offsets.
///
/// The marks of successive events hardly ever go back, so that walking from the last place is cheap.
private struct CodePointCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isASCII: Bool
    private let origin: Int
    private var codePoint = 0
    private var offset: Int

    init(bytes: UnsafeBufferPointer<UInt8>, origin: Int) {
        self.bytes = bytes
        self.origin = origin
        offset = origin
        isASCII = bytes[origin...].allSatisfy { $0 < 0x80 }
    }

    mutating func byteOffset(ofCodePoint wanted: Int) -> Int {
        if isASCII { return min(origin + wanted, bytes.count) }
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
