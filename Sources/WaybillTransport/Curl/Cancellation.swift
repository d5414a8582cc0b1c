import Synchronization

/// Says that one transfer is not wanted any more. Its identity is the transfer's name among the engine's commands.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    /// Whether `request` was called.
    var isRequested: Bool { flag.load(ordering: .acquiring) }

    /// Says that the transfer is not wanted.
    func request() {
        flag.store(true, ordering: .releasing)
    }
}
