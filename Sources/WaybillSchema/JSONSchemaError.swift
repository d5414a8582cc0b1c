package import WaybillJSON

/// Why a schema cannot be compiled.
package struct JSONSchemaError: Error, Equatable {
    /// What is wrong, for people.
    package let message: String
    /// The place in the schema document.
    package let location: JSONPointer
    /// The address of the document that the place is in; empty for a schema without one.
    package let document: String

    init(_ message: String, at location: JSONPointer, in document: String) {
        self.message = message
        self.location = location
        self.document = document
    }
}

extension JSONSchemaError: CustomStringConvertible {
    /// The address of the document, `#`, the pointer to the location, and the message.
    package var description: String { "\(document)#\(location): \(message)" }
}
