/// Why a transport could not be made.
package struct TransportSetUpError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is missing, for people.
    package let reason: String

    /// The error with its reason, in one sentence without a full stop.
    package var description: String { "the transfer layer could not be set up: \(reason)" }
}
