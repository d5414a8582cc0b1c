package import WaybillRuntime

/// A body as it is sent.
package struct EncodedBody: Sendable {
    /// A part of it.
    package enum Part: Sendable {
        /// Bytes.
        case bytes([UInt8])
        /// The bytes of a file, which is read when it is sent.
        case file(LocalFile)
    }

    /// Its parts in order.
    package var parts: [Part]
    /// The media type for the Content-Type field, unless the request sets that field.
    package var mediaType: String?
    /// Whether it contains the value of a secret or a text derived from one.
    package var isSecret: Bool
    /// The boundary of `multipart/form-data`; `nil` for any other body.
    package var boundary: String?

    init(_ part: Part, mediaType: String?, isSecret: Bool) {
        parts = [part]
        self.mediaType = mediaType
        self.isSecret = isSecret
    }

    /// Text.
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
