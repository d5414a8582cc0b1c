/// The parts of a definition or a step that are unknown because of an error in the source.
///
/// Nothing is reported as missing if an unknown part could contain it.
package struct UnknownParts: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// What a step does.
    package static let form = UnknownParts(rawValue: 1 << 0)
    /// The id of a step.
    package static let id = UnknownParts(rawValue: 1 << 1)
    /// The condition of a step.
    package static let condition = UnknownParts(rawValue: 1 << 2)
    /// The list that a step is repeated for, and the name of its elements.
    package static let loop = UnknownParts(rawValue: 1 << 3)
    /// The steps that a step of a batch needs.
    package static let needs = UnknownParts(rawValue: 1 << 4)
    /// How the next page is found.
    package static let pages = UnknownParts(rawValue: 1 << 5)
    /// The inputs of a call.
    package static let arguments = UnknownParts(rawValue: 1 << 6)
    /// The steps of a graph or a step, and their order.
    package static let steps = UnknownParts(rawValue: 1 << 7)
    /// The names of the declared inputs.
    package static let inputs = UnknownParts(rawValue: 1 << 8)
    /// The outputs.
    package static let outputs = UnknownParts(rawValue: 1 << 9)
    /// The variables.
    package static let vars = UnknownParts(rawValue: 1 << 10)
    /// The service of a request.
    package static let service = UnknownParts(rawValue: 1 << 11)
    /// The method of a request.
    package static let method = UnknownParts(rawValue: 1 << 12)
    /// The path or URL of a request.
    package static let address = UnknownParts(rawValue: 1 << 13)
    /// The session of a service.
    package static let session = UnknownParts(rawValue: 1 << 14)
    /// The file that a step writes.
    package static let file = UnknownParts(rawValue: 1 << 15)

    /// Whether any of some parts is unknown.
    package func contains(anyOf parts: UnknownParts) -> Bool { !isDisjoint(with: parts) }
}
