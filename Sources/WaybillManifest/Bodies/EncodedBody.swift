package import WaybillRuntime

/// A body in the form in which it is sent.
package struct EncodedBody: Sendable {
    /// A part of a body.
    package enum Part: Sendable {
        /// Bytes.
        case bytes([UInt8])
        /// The bytes of a file, which is read when the body is sent.
        case file(LocalFile)
    }

    /// The parts in order.
    package var parts: [Part]
    /// The media type for the Content-Type field, unless the request sets that field.
    package var mediaType: String?
    /// Whether the body contains the value of a secret or a string derived from one.
    package var isSecret: Bool
    /// The boundary of `multipart/form-data`; `nil` for any other body.
    package var boundary: String?

    init(_ part: Part, mediaType: String?, isSecret: Bool) {
        parts = [part]
        self.mediaType = mediaType
        self.isSecret = isSecret
    }

    /// Creates a body from a string.
    init(_ text: String, mediaType: String, isSecret: Bool) {
        self.init(.bytes(Array(text.utf8)), mediaType: mediaType, isSecret: isSecret)
    }

    init(_ parts: [Part], boundary: String, isSecret: Bool) {
        self.parts = parts
        mediaType = "multipart/form-data; boundary=\(boundary)"
        self.isSecret = isSecret
        self.boundary = boundary
    }
}
