import WaybillDiagnostics
package import WaybillJSON

/// A string that is safe to write anywhere: a literal of the program, or the output of a redactor.
///
/// It cannot be created from other strings, so that code that prints events and results cannot leak a secret. Literals
/// can contain other redacted strings and integers: `"expected \(count) items, got \(text)"`.
public struct RedactedText: Sendable, Hashable, CustomStringConvertible {
    /// The string.
    public let string: String

    init(redacted string: String) {
        self.string = string
    }

    /// The string.
    public var description: String { string }

    /// Returns the start of the string: at most a number of code points, with an ellipsis if something is missing.
    func excerpt(_ maximum: Int) -> RedactedText { RedactedText(redacted: string.excerpt(maximum)) }
}

extension RedactedText: ExpressibleByStringInterpolation {
    /// A literal of the program.
    public init(stringLiteral literal: StaticString) {
        string = literal.description
    }

    /// A literal with safe parts.
    public init(stringInterpolation interpolation: Interpolation) {
        string = interpolation.text
    }

    /// Concatenates safe parts.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Starts without text.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Appends a part of the literal.
        public mutating func appendLiteral(_ literal: StaticString) {
            text += literal.description
        }

        /// Appends a redacted string.
        public mutating func appendInterpolation(_ part: RedactedText) { text += part.string }

        /// Appends an integer, such as a count, a status or an index.
        public mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
    }
}

/// A JSON value that is safe to write anywhere: the output of a redactor.
package struct RedactedJSON: Sendable {
    /// The value; `nil` if only its text is known.
    private let decoded: JSON?
    /// The value as compact JSON text, if it was encoded before it is written.
    private(set) var bytes: [UInt8]?

    init(redacted value: JSON) {
        decoded = value
    }

    /// Creates a value from a journal, which may be undecoded; see `JSONParser.undecodedMember`.
    init(recorded value: JSON) {
        decoded = value.bytes == nil ? value : nil
        bytes = value.bytes
    }

    /// The value. One that was read undecoded is decoded each time.
    package var value: JSON { value(undecoded: []) }

    /// Returns the value, in which a member may be left undecoded.
    func value(undecoded member: [String]) -> JSON {
        if let decoded { return decoded }
        var parser = JSONParser.ownFiles
        parser.undecodedMember = member
        guard let value = try? parser.parse(bytes ?? []) else { preconditionFailure("what was read is not JSON") }
        return value
    }

    /// The maximum length of the text in bytes: an event is at most 256 MiB long, so that `resume` can read it.
    private static let maximumBytes = 240 << 20

    /// The value with its text; `nil` if that is too long, or is long and the deadline of the step has passed. Encoding a
    /// large value takes long, so it is done where nothing waits for it. Bytes in it must be undecoded members, which are
    /// written as they are.
    package var encoded: RedactedJSON? {
        var writer = JSONWriter(stopsAtDeadline: true, maximumBytes: Self.maximumBytes)
        writer.writesBytesAsText = true
        guard let bytes = writer.wholeText(value) else { return nil }
        var encoded = self
        encoded.bytes = bytes
        return encoded
    }

    /// The value as a string: a string without its quotes, anything else as JSON.
    package var text: RedactedText { RedactedText(redacted: value.words) }
}

extension RedactedJSON: Hashable {
    /// Compares the values.
    package static func == (left: RedactedJSON, right: RedactedJSON) -> Bool { left.value == right.value }

    /// Hashes the value.
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
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
public struct RedactedHeader: Sendable, Hashable {
    /// The field's name.
    public let name: RedactedText
    /// The field's value; `***` for credentials and cookies.
    public let value: RedactedText

    /// Creates a field.
    public init(name: RedactedText, value: RedactedText) {
        self.name = name
        self.value = value
    }
}

extension Redactor {
    /// Redacts a string.
    package func text(_ text: String) -> RedactedText {
        RedactedText(redacted: redact(text))
    }

    /// Redacts the JSON text of a value and returns its start: at most `maximum` characters, followed by `…` if there
    /// are more.
    package func start(of json: JSON, _ maximum: Int) -> RedactedText {
        // The part of a secret would not be found, so the whole text is redacted first.
        let text = JSONWriter().string(redact(json))
        return RedactedText(redacted: text.unicodeScalars.count > maximum ? text.excerpt(maximum - 1) : text)
    }

    /// Redacts a JSON value.
    package func json(_ json: JSON) -> RedactedJSON {
        RedactedJSON(redacted: redact(json))
    }

    /// Redacts the code of a failure: a string, number or boolean stays as it is, anything else becomes its JSON text.
    package func code(_ code: JSON?) -> RedactedJSON? {
        switch code {
        case .null, nil: nil
        case .string(let text)?: json(.string(text))
        case .number?, .bool?: code.map { json($0) }
        case .array?, .object?, .bytes?: code.map { json(.string($0.words)) }
        }
    }

    /// Returns data of a run that is safe to write unchanged; `nil` if it contains a secret. It may contain short
    /// secrets by chance.
    package func unchanged(_ json: JSON) -> RedactedJSON? {
        redactedData(json) == nil ? RedactedJSON(redacted: json) : nil
    }

    /// Redacts data of a run, and returns whether that changed it. Short secrets may occur in it by chance, and stay.
    package func data(_ json: JSON) -> (json: RedactedJSON, isChanged: Bool) {
        let changed = redactedData(json)
        return (RedactedJSON(redacted: changed ?? json), changed != nil)
    }

    /// Masks a value that is a secret as a whole: all strings, numbers and bytes in it become `"***"`.
    package static func masked(_ json: JSON) -> JSON {
        switch json {
        case .null, .bool: json
        case .number, .string, .bytes: .string(mask)
        case .array(let elements): .array(elements.map(masked))
        case .object(let object): .object(JSONObject(object.map { ($0.name, masked($0.value)) }))
        }
    }

    /// Redacts a message body. A body without secrets stays the same, byte for byte.
    ///
    /// - Throws: If the time of the step was over before a long body was searched.
    package func bytes(_ bytes: [UInt8]) throws(SearchStopped) -> RedactedBytes {
        RedactedBytes(redacted: try redact(bytes))
    }

    /// Redacts a header field. Of credentials and cookies only the name is kept, whatever secrets are registered.
    package func header(_ name: String, _ value: String) -> RedactedHeader {
        RedactedHeader(
            name: text(name),
            value: CredentialNames.contains(name) ? RedactedText(redacted: Self.mask) : text(value)
        )
    }
}
