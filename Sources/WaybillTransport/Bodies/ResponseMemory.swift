import Synchronization

/// The memory that the bodies of a run's responses, the values decoded and computed from them, and those that later
/// steps use may take together. While a body is received, it counts only if it is over one mebibyte.
///
/// A response that needs more than is free waits until others are no longer used. One at a time may exceed the limit
/// until it has been evaluated, so that responses do not wait for each other for ever: together they take at most the
/// limit and one response. The values that later steps use stay, so they never exceed the limit, and nothing waits for
/// them.
package final class ResponseMemory: Sendable {
    /// The size in bytes from which bodies count.
    package static let smallBody = 1 << 20
    private struct State {
        var used = 0
        // The part of it that later steps use.
        var kept = 0
        // The share that may exceed the limit.
        var favored: ObjectIdentifier?
        var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Creates an unused memory of a size in bytes.
    package init(limit: Int = 1 << 30) {
        self.limit = limit
    }

    /// The part of one response, or of the values of one step. It is free again when the last reference to it is gone.
    package final class Share: Sendable {
        private struct Size {
            var total = 0
            var kept = 0
        }

        private let memory: ResponseMemory
        private let size = Mutex(Size())

        /// Creates an empty share.
        package init(of memory: ResponseMemory) {
            self.memory = memory
        }

        deinit {
            let (total, kept) = size.withLock { ($0.total, $0.kept) }
            memory.release(total, kept: kept, of: ObjectIdentifier(self))
        }

        /// Grows the share to a size in bytes, or returns false if there is no room; then `wake` is called once, from
        /// any thread, when it is worth trying again.
        func grow(to newSize: Int, wake: @escaping @Sendable () -> Void) -> Bool {
            size.withLock { size in
                if newSize > size.total {
                    guard memory.take(newSize - size.total, for: ObjectIdentifier(self), wake: wake) else {
                        return false
                    }
                    size.total = newSize
                }
                return true
            }
        }

        /// Grows the share to a size in bytes that is used already, even beyond the limit, so that others wait.
        package func note(_ newSize: Int) {
            size.withLock { size in
                guard newSize > size.total else { return }
                memory.note(newSize - size.total)
                size.total = newSize
            }
        }

        /// Adds bytes of values that later steps use. Returns false, and adds nothing, if those of the whole run would
        /// exceed the limit.
        package func keep(_ count: Int) -> Bool {
            size.withLock { size in
                guard memory.keep(count) else { return false }
                size.total += count
                size.kept += count
                return true
            }
        }

        /// Takes over all bytes of another share, which has none then.
        package func absorb(_ other: Share) {
            let taken = other.size.withLock { size in
                defer { size = Size() }
                return size
            }
            size.withLock { size in
                size.total += taken.total
                size.kept += taken.kept
            }
        }

        /// Grows the share to a size in bytes, and waits for room if there is none. Stops waiting when the task is
        /// cancelled.
        package func grow(to newSize: Int) async {
            while !Task.isCancelled {
                let (signals, signal) = AsyncStream.makeStream(of: Void.self)
                if grow(to: newSize, wake: { signal.finish() }) { return }
                for await _ in signals {}
            }
        }

        /// Lets another share exceed the limit: the response has been evaluated.
        package func stopGrowing() {
            memory.unfavor(ObjectIdentifier(self))
        }
    }

    private func take(_ count: Int, for share: ObjectIdentifier, wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.used + count > limit, state.favored != share {
                guard state.favored == nil else {
                    state.waiting[share] = wake
                    return false
                }
                state.favored = share
            }
            state.used += count
            return true
        }
    }

    private func note(_ count: Int) {
        state.withLock { $0.used += count }
    }

    private func keep(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.kept + count <= limit else { return false }
            state.kept += count
            state.used += count
            return true
        }
    }

    private func release(_ count: Int, kept: Int, of share: ObjectIdentifier) {
        wakeAll { state in
            state.used -= count
            state.kept -= kept
            state.waiting[share] = nil
            if state.favored == share { state.favored = nil }
            return count > 0
        }
    }

    private func unfavor(_ share: ObjectIdentifier) {
        wakeAll { state in
            guard state.favored == share else { return false }
            state.favored = nil
            return true
        }
    }

    private func wakeAll(after change: (inout State) -> Bool) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard change(&state), !state.waiting.isEmpty else { return [] }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for wake in waiting { wake() }
    }
}

extension ResponseMemory.Share: Equatable {
    /// Whether both are the same share.
    package static func == (one: ResponseMemory.Share, other: ResponseMemory.Share) -> Bool { one === other }
}
