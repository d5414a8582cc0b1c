import Synchronization

/// The memory that the bodies of a run's requests and responses, the values decoded and computed from responses, and
/// those that later steps use may take together. A body that is sent or received counts only if it is over one mebibyte.
///
/// What needs more than is free waits until other parts are no longer used. For each purpose, one share at a time may
/// exceed the limit until it stops growing, so that none waits for ever. The values that later steps use stay, so they
/// never exceed the limit, and nothing waits for them.
package final class RunMemory: Sendable {
    /// The size in bytes from which bodies count.
    package static let smallBody = 1 << 20

    /// What a share is for. What has the share of a purpose that may exceed the limit waits only for shares of the purposes
    /// before it.
    package enum Purpose: Sendable {
        /// A response, and what is decoded from it.
        case response
        /// The body of a request that has its permit.
        case request
        /// The body of a request that will wait for its permit.
        case queuedRequest
    }

    private struct State {
        var used = 0
        // The part of it that later steps use.
        var kept = 0
        // The shares that may exceed the limit.
        var favored: [Purpose: ObjectIdentifier] = [:]
        var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]

        /// Returns whether a share could exceed the limit until now.
        mutating func unfavor(_ share: Share) -> Bool {
            guard favored[share.purpose] == ObjectIdentifier(share) else { return false }
            favored[share.purpose] = nil
            return true
        }
    }

    /// The limit in bytes.
    package let limit: Int
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

        private let memory: RunMemory
        fileprivate let purpose: Purpose
        // The share of a body that others decode too.
        private let body: Share?
        private let size = Mutex(Size())

        /// Creates an empty share.
        package init(of memory: RunMemory, for purpose: Purpose = .response) {
            (self.memory, self.purpose, body) = (memory, purpose, nil)
        }

        /// Creates a share for what is decoded once more from the body of another share, which this one keeps.
        init(decodingBodyOf other: Share) {
            (memory, purpose, body) = (other.memory, other.purpose, other)
        }

        deinit {
            let (total, kept) = size.withLock { ($0.total, $0.kept) }
            memory.release(total, kept: kept, of: self)
        }

        /// Grows the share to a size in bytes, or returns false if there is no room; then `wake` is called once, from
        /// any thread, when it is worth trying again.
        package func grow(to newSize: Int, wake: @escaping @Sendable () -> Void) -> Bool {
            size.withLock { size in
                if newSize > size.total {
                    guard memory.take(newSize - size.total, for: self, wake: wake) else {
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

        /// Lets another share exceed the limit: the response has been evaluated, or the request has ended.
        package func stopGrowing() {
            memory.unfavor(self)
        }
    }

    private func take(_ count: Int, for share: Share, wake: @escaping @Sendable () -> Void) -> Bool {
        let id = ObjectIdentifier(share)
        return state.withLock { state in
            if state.used + count > limit {
                guard state.favored[share.purpose, default: id] == id else {
                    state.waiting[id] = wake
                    return false
                }
                state.favored[share.purpose] = id
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

    private func release(_ count: Int, kept: Int, of share: Share) {
        wakeAll { state in
            state.used -= count
            state.kept -= kept
            state.waiting[ObjectIdentifier(share)] = nil
            return state.unfavor(share) || count > 0
        }
    }

    private func unfavor(_ share: Share) {
        wakeAll { $0.unfavor(share) }
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

extension RunMemory.Share: Equatable {
    /// Whether both are the same share.
    package static func == (one: RunMemory.Share, other: RunMemory.Share) -> Bool { one === other }
}

extension HTTPResponse {
    /// The response for one more reader. What it decodes from the body that all have counts by itself.
    package var shared: HTTPResponse {
        var response = self
        // The first reader may not have started, and may never evaluate it.
        response.memory?.stopGrowing()
        response.memory = memory.map(RunMemory.Share.init(decodingBodyOf:))
        return response
    }
}
