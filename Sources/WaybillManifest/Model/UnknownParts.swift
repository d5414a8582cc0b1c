/// The parts of a definition or a step that are unknown because of an error in its text.
///
/// Nothing is reported as missing if an unknown part could contain it.
///
/// It is a set of bits instead of a `Set`, because it is read for every part of every manifest and almost always empty.
package struct UnknownParts: Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Nothing is unknown.
    package static let nothing = UnknownParts(rawValue: 0)
    /// What a step does.
    package static let form = UnknownParts(rawValue: 1 << 0)
    /// The id of a step.
    package static let id = UnknownParts(rawValue: 1 << 1)
    /// Whether a condition decides about a step.
    package static let condition = UnknownParts(rawValue: 1 << 2)
    /// Whether a step is done for the elements of a list, and by which name they go.
    package static let loop = UnknownParts(rawValue: 1 << 3)
    /// What a step of a batch needs.
    package static let needs = UnknownParts(rawValue: 1 << 4)
    /// How the next page is found.
    package static let pages = UnknownParts(rawValue: 1 << 5)
    /// The inputs that a call gives.
    package static let arguments = UnknownParts(rawValue: 1 << 6)
    /// The steps of a graph or a step, and in what order they run.
    package static let steps = UnknownParts(rawValue: 1 << 7)
    /// The names of the inputs that are declared.
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
    /// Which file a step writes.
    package static let file = UnknownParts(rawValue: 1 << 15)

    /// Whether nothing is unknown.
    package var isEmpty: Bool { rawValue == 0 }

    /// Whether one of some parts is unknown.
    package func contains(_ parts: UnknownParts) -> Bool { rawValue & parts.rawValue != 0 }

    /// Those of some parts that are unknown.
    package func among(_ parts: UnknownParts) -> UnknownParts { UnknownParts(rawValue: rawValue & parts.rawValue) }

    /// The parts of both.
    package static func | (left: UnknownParts, right: UnknownParts) -> UnknownParts {
        UnknownParts(rawValue: left.rawValue | right.rawValue)
    }
}
