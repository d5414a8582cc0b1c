/// Why a transport could not be made.
package struct TransportSetUpError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is missing, for a person.
    package let reason: String

    package var description: String { "the transfer layer could not be set up: \(reason)" }
}
