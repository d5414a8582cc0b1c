package import WaybillJSON

/// A text that is safe to write anywhere: literals of the program, and the output of a redactor.
///
/// It cannot be made from other strings, so that code that prints events and results cannot leak a secret. Literals can
/// be interpolated with other redacted texts and with integers: `"expected \(count) items, got \(text)"`.
package struct RedactedText: Sendable, Hashable, CustomStringConvertible {
    /// The text.
    package let string: String

    /// A literal of the program.
    package init(literal: StaticString) {
        string = literal.description
    }

    init(redacted string: String) {
        self.string = string
    }

    /// The text.
    package var description: String { string }
}

extension RedactedText: ExpressibleByStringInterpolation {
    package init(stringLiteral literal: StaticString) {
        self.init(literal: literal)
    }

    package init(stringInterpolation interpolation: Interpolation) {
        string = interpolation.text
    }

    /// Concatenates safe parts.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { text += String(decoding: $0, as: UTF8.self) }
        }

        /// A redacted text.
        package mutating func appendInterpolation(_ part: RedactedText) { text += part.string }

        /// An integer, such as a count, a status or an index.
        package mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    }
}

/// A JSON value that is safe to write anywhere: the output of a redactor.
package struct RedactedJSON: Sendable, Hashable {
    /// The value.
    package let value: JSON

    init(redacted value: JSON) {
        self.value = value
    }

    /// The value in words: a string without its quotes, anything else as JSON.
    package var text: RedactedText { RedactedText(redacted: value.words) }
}

/// The bytes of a message that are safe to write anywhere: the output of a redactor.
package struct RedactedBytes: Sendable, Hashable {
    /// The bytes.
    package let bytes: [UInt8]

    init(redacted bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// A header field that is safe to write anywhere.
package struct RedactedHeader: Sendable, Hashable {
    /// The field's name.
    package let name: RedactedText
    /// The field's value; `***` for credentials and cookies.
    package let value: RedactedText
}

extension Redactor {
    /// A text, made safe to write.
    package func text(_ text: String) -> RedactedText {
        RedactedText(redacted: redact(text))
    }

    /// The start of the JSON text of a value, made safe to write: at most some characters, with `…` after it if there is
    /// more.
    package func start(of json: JSON, _ maximum: Int) -> RedactedText {
        // A part of a secret would not be found: redacted first.
        let text = JSONWriter().string(redact(json))
        return RedactedText(redacted: text.count > maximum ? text.prefix(maximum - 1) + "…" : text)
    }

    /// A JSON value, made safe to write.
    package func json(_ json: JSON) -> RedactedJSON {
        RedactedJSON(redacted: redact(json))
    }

    /// A code of a failure, made safe to write: a string, number or boolean as it is, anything else as its JSON text.
    package func code(_ code: JSON?) -> RedactedJSON? {
        switch code {
        case .null, nil: nil
        case .string(let text)?: json(.string(text))
        case .number?, .bool?: code.map { json($0) }
        case .array?, .object?, .bytes?: code.map { json(.string($0.words)) }
        }
    }

    /// Data of a run that is safe to write as it is; `nil` where a secret is in it. Short secrets may be in it by chance.
    package func unchanged(_ json: JSON) -> RedactedJSON? {
        redactedData(json) == nil ? RedactedJSON(redacted: json) : nil
    }

    /// Data of a run, made safe to write, and whether that changed it. Short secrets may be in it by chance, and stay.
    package func data(_ json: JSON) -> (json: RedactedJSON, isChanged: Bool) {
        let changed = redactedData(json)
        return (RedactedJSON(redacted: changed ?? json), changed != nil)
    }

    /// A value that is a secret as a whole: all strings, numbers and bytes in it become `"***"`.
    package static func masked(_ json: JSON) -> JSON {
        switch json {
        case .null, .bool: json
        case .number, .string, .bytes: .string(mask)
        case .array(let elements): .array(elements.map(masked))
        case .object(let object): .object(JSONObject(object.map { ($0.name, masked($0.value)) }))
        }
    }

    /// A message body, made safe to write; one that holds no secret stays as it is, byte for byte.
    package func bytes(_ bytes: [UInt8]) -> RedactedBytes {
        RedactedBytes(redacted: redact(bytes))
    }

    /// A header field, made safe to write: of credentials and cookies only the name is left, whatever is registered.
    package func header(_ name: String, _ value: String) -> RedactedHeader {
        RedactedHeader(
            name: text(name),
            value: Self.isCredential(headerNamed: name) ? RedactedText(redacted: Self.mask) : text(value)
        )
    }

    /// Whether a header field of a name holds credentials or cookies, whatever stands in it.
    package static func isCredential(headerNamed name: String) -> Bool {
        // Few names are as long as one of these.
        switch name.utf8.count {
        case 6: name.lowercased() == "cookie"
        case 10: name.lowercased() == "set-cookie"
        case 13: name.lowercased() == "authorization"
        case 19: name.lowercased() == "proxy-authorization"
        default: false
        }
    }
}
