import Synchronization

/// Tells work on another thread that its result is no longer needed.
final class StopSign: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
