package import WaybillJSON

/// The error for bytes that are not a property list, or for a value that cannot be written as one.
package struct PropertyListError: Error, Sendable, Equatable {
    /// The location of the error.
    package enum Position: Sendable, Equatable {
        /// The offset of the byte in the input, from 0.
        case byte(Int)
        /// The path of the value to be written.
        case value(JSONPointer)
    }

    /// The message for the user: `the element <string> is never closed`.
    package let message: String
    /// The location of the error.
    package let position: Position

    /// Creates an error at a byte.
    init(_ message: String, at offset: Int) {
        self.message = message
        position = .byte(offset)
    }

    /// Creates an error for a value that cannot be written.
    init(_ message: String, at pointer: JSONPointer) {
        self.message = message
        position = .value(pointer)
    }
}

extension PropertyListError: CustomStringConvertible {
    /// The message, with the byte offset or the path of the value.
    package var description: String {
        switch position {
        case .byte(let offset): "\(message), at byte \(offset)"
        case .value(let pointer): pointer.tokens.isEmpty ? message : "\(message), at \(pointer)"
        }
    }
}
