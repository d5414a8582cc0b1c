import WaybillJSON

/// The body of a request or a response in an event: its size, and its start if it is text.
package struct BodyExcerpt: Sendable, Equatable {
    /// The maximum size of the text, in bytes.
    package static let maximumBytes = 4096

    /// The size of the body in bytes, with its secrets replaced; `nil` if it is not known.
    package var bytes: Int?
    /// The start of the body; `nil` if it is not text in UTF-8, or not shown.
    package var text: RedactedText?
    /// Whether the text is only the start of the body.
    package var isCut = false

    /// An excerpt without text.
    package init(bytes: Int?) { self.bytes = bytes }

    /// Creates an excerpt of a body.
    package init(of body: RedactedBytes) {
        bytes = body.bytes.count
        guard !body.bytes.contains(0), String(validating: body.bytes, as: UTF8.self) != nil else { return }
        isCut = body.bytes.count > Self.maximumBytes
        var end = min(body.bytes.count, Self.maximumBytes)
        while isCut, body.bytes[end] & 0xC0 == 0x80 { end -= 1 }
        text = RedactedText(redacted: String(decoding: body.bytes[..<end], as: UTF8.self))
    }

    /// Whether a file with some bytes can be the whole body.
    func isStart(of file: [UInt8]) -> Bool { file.count == bytes && file.starts(with: text?.string.utf8 ?? "".utf8) }
}

extension BodyExcerpt: JSONStreamable {
    /// Writes `{bytes, text, cut}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("bytes", bytes)
        object.add("text", text)
        object.add("cut", isCut ? true : nil)
    }

    /// Reads an excerpt from an event; `nil` for anything else.
    init?(json: JSON) {
        guard case .object = json else { return nil }
        bytes = json["bytes"]?.count
        text = json["text"]?.redactedText
        isCut = json["cut"] == true
    }
}
