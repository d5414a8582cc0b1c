import Synchronization
import WaybillExecution

/// A clock that a test advances by hand. Tasks that wait on it continue only when the test advances it.
final class ManualClock: RunClock {
    private struct Sleeper {
        var end: Duration
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now = Duration.zero
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var lastNumber = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }

    /// The wake-up times of all current sleepers, earliest first.
    var ends: [Duration] { state.withLock { $0.sleepers.values.map(\.end).sorted() } }

    /// Waits until this many tasks sleep at the same time.
    func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state -> Bool in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Advances the time and wakes all sleepers that are due.
    func advance(by duration: Duration) {
        let woken = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            state.now += duration
            let due = state.sleepers.filter { $0.value.end <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.sorted { ($0.value.end, $0.key) < ($1.value.end, $1.key) }.map(\.value.continuation)
        }
        for continuation in woken { continuation.resume(returning: true) }
    }

    func sleep(for duration: Duration) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isWoken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sleep(continuation, as: number, for: duration)
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let sleeper = state.sleepers.removeValue(forKey: number) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return sleeper.continuation
            }
            continuation?.resume(returning: false)
        }
        if !isWoken { throw CancellationError() }
    }

    private func sleep(_ continuation: CheckedContinuation<Bool, Never>, as number: Int, for duration: Duration) {
        let (outcome, watchers) = state.withLock { state -> (Bool?, [CheckedContinuation<Void, Never>]) in
            if state.cancelled.contains(number) { return (false, []) }
            if duration <= .zero { return (true, []) }
            state.sleepers[number] = Sleeper(end: state.now + duration, continuation: continuation)
            let count = state.sleepers.count
            let satisfied = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return (nil, satisfied.map(\.continuation))
        }
        if let outcome { continuation.resume(returning: outcome) }
        for watcher in watchers { watcher.resume() }
    }
}
