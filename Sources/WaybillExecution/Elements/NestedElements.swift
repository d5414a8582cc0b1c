import Synchronization

/// The elements in flight of all `forEach` steps that are inside an element of another `forEach`, counted over all levels.
///
/// Without a common limit three levels with 30 elements at once would hold 27,000 of them, most of which only wait for
/// a request. Each of these steps may always have one element in flight, so that all of them finish.
final class NestedElements: Sendable {
    private let limit: Int
    private let count = Atomic<Int>(0)

    /// Nothing is in flight yet.
    init(limit: Int) {
        self.limit = limit
    }

    /// Whether a step that has elements in flight may start another one.
    var hasRoom: Bool { count.load(ordering: .relaxed) < limit }

    /// Notes that an element starts.
    func started() { count.add(1, ordering: .relaxed) }

    /// Notes that an element has ended.
    func ended() { count.subtract(1, ordering: .relaxed) }
}
