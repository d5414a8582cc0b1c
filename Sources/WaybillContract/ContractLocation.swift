import WaybillFormats
package import WaybillJSON

/// A value in one of the documents of a contract.
package struct ContractLocation: Sendable, Hashable {
    /// The absolute address of the document, without a fragment.
    package let address: String
    /// The path to the value in the document.
    package let pointer: JSONPointer

    /// Creates a location.
    package init(_ address: String, _ pointer: JSONPointer = JSONPointer()) {
        self.address = address
        self.pointer = pointer
    }

    /// Returns the location of a member or element.
    func appending(_ tokens: JSONPointer.Token...) -> ContractLocation {
        ContractLocation(address, tokens.reduce(pointer) { $0.appending($1) })
    }

    /// The location as a URI reference with a JSON Pointer as its fragment (RFC 6901, section 6).
    var reference: String { address + "#" + PercentEncoding.path(pointer.description) }
}

/// Why a document, or a part of it, cannot be used.
package struct ContractError: Error, Sendable {
    /// The message, for people.
    package let message: String
    /// The location of the error.
    package let location: ContractLocation
    /// The address of the document that could not be read, if that is the reason.
    package var unreadAddress: String?
    /// What to do.
    package var help: String?

    init(_ message: String, at location: ContractLocation, help: String? = nil) {
        self.message = message
        self.location = location
        self.help = help
    }
}
