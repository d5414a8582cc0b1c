import Synchronization

/// Requests that work on another thread stops, because its result is no longer needed. The identity of the object identifies
/// a transfer in the engine's commands.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    /// A cancellation that is not requested yet.
    package init() {}

    /// Whether `request` was called.
    package var isRequested: Bool { flag.load(ordering: .acquiring) }

    /// Requests cancellation.
    package func request() {
        flag.store(true, ordering: .releasing)
    }
}
