import WaybillManifest

/// Decides what happens to a request while an equal one is in flight. Requests are identified by numbers, in
/// the order in which they started.
///
/// A request is in flight from its first attempt to the end of its last one, the waits between them included.
struct DuplicateState: Sendable {
    /// What happens to a request.
    enum Action: Sendable, Equatable {
        /// It is sent.
        case begin
        /// It fails, and nothing is sent.
        case drop
        /// It is sent when the previous one has ended; the caller has to cancel these.
        case wait(cancelling: [Int])
    }

    private struct Line {
        var holder: Int
        var isCancelled = false
        /// The request that follows.
        var next: Int?
    }

    private var lines: [DuplicateKey: Line] = [:]
    private var keys: [Int: DuplicateKey] = [:]

    /// Decides what happens to a request that is about to be sent. A repetition of a request in flight is sent.
    mutating func enter(_ request: Int, _ key: DuplicateKey, _ mode: DuplicatePolicy.Mode) -> Action {
        guard keys[request] == nil else { return .begin }
        guard var line = lines[key] else {
            keys[request] = key
            lines[key] = Line(holder: request)
            return .begin
        }
        guard mode == .cancelPrevious else { return .drop }
        // It started before the one that takes its place, but waited for something.
        if request < line.next ?? line.holder { return .wait(cancelling: [request]) }
        // The request that waited to follow is cancelled too, because this one replaces it.
        let cancelled = (line.isCancelled ? [] : [line.holder]) + (line.next.map { [$0] } ?? [])
        line.isCancelled = true
        line.next = request
        lines[key] = line
        keys[request] = key
        return .wait(cancelling: cancelled)
    }

    /// Notes that a request has ended; returns the request that may start now, if one was waiting.
    mutating func leave(_ request: Int) -> Int? {
        guard let key = keys.removeValue(forKey: request), var line = lines[key] else { return nil }
        if line.holder == request {
            lines[key] = line.next.map { Line(holder: $0) }
            return line.next
        }
        // It was still waiting, unless another request has replaced it in the meantime.
        if line.next == request {
            line.next = nil
            lines[key] = line
        }
        return nil
    }
}
