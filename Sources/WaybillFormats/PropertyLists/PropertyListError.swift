package import WaybillJSON

/// Why bytes are no property list, or a value cannot be one.
package struct PropertyListError: Error, Sendable, Equatable {
    /// Where it is wrong.
    package enum Place: Sendable, Equatable {
        /// The byte, from 0, in what was read.
        case byte(Int)
        /// The value in what was to be written.
        case value(JSONPointer)
    }

    /// What is wrong, for a person: `the element <string> is never closed`.
    package let message: String
    /// Where it is wrong.
    package let place: Place

    /// A fault at a byte.
    init(_ message: String, at offset: Int) {
        self.message = message
        place = .byte(offset)
    }

    /// A value that cannot be written.
    init(_ message: String, at pointer: JSONPointer) {
        self.message = message
        place = .value(pointer)
    }
}

extension PropertyListError: CustomStringConvertible {
    /// The message, with the byte offset or the path of the value.
    package var description: String {
        switch place {
        case .byte(let offset): "\(message), at byte \(offset)"
        case .value(let pointer): pointer.tokens.isEmpty ? message : "\(message), at \(pointer)"
        }
    }
}
