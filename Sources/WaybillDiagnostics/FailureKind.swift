/// The kind of failure of a step: the stage that failed.
///
/// `Run.FailureKind` in the library's public interface is the same list and documents each kind. It is declared twice
/// because that interface has no types of other modules. The code does not compile if a kind is missing.
package enum FailureKind: String, Sendable, CaseIterable {
    // Before a response is received.
    case input, dns, connect, tls, timeout, transfer, unreachable, duplicate
    // In a response.
    case status
    case contentType = "content-type"
    case decode, filter, output, expect, download
    // At any time.
    case cancelled
}
