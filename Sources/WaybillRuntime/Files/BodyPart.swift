/// A part of the body of a request.
package enum BodyPart: Sendable, Equatable {
    /// These bytes.
    case bytes([UInt8])
    /// The bytes of a file, which is read when the body is sent.
    case file(LocalFile)
}
