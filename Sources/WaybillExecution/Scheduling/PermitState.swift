import DequeModule
import WaybillManifest
import WaybillRuntime

/// Decides which of the waiting requests gets a permit, and when: never more than the limit at once, none before its
/// rate allows it, higher priorities first, and equal priorities in the order of their arrival. A request that waits
/// for its rate does not delay others.
struct PermitState: Sendable {
    /// The tickets of the requests that start now, and the time of the next check if nothing happens before.
    typealias Step = (issued: [(ticket: Int, permit: Permit)], wake: Duration?)

    private struct Waiting {
        var ticket: Int
        var arrival: Duration
        var isFinal: Bool
        var limit: Int?
    }

    private struct QueueState {
        var name: String?
        var rate: RateState?
        /// The number of its requests in flight that count towards its limit.
        var inFlight = 0
        /// Whether one connection carries many requests.
        var isMultiplexed = false
        /// The waiting requests by rank.
        var waiting: [Deque<Waiting>] = Array(repeating: [], count: Rank.allCases.count)
    }

    /// The ranks, the first one served first.
    private enum Rank: Int, CaseIterable {
        case session, high, `default`, low

        init(_ request: PermitRequest) {
            self =
                switch request.priority {
                case _ where !request.needsSlot: .session
                case .high: .high
                case .default: .default
                case .low: .low
                }
        }
    }

    /// The minimum number of requests that one multiplexed connection carries (RFC 9113, section 6.5.2).
    private static let streams = 100

    private var free: Int
    private var queues = [QueueState()]
    private var indices: [String: Int] = [:]
    private var waitingRanks: [Int: (queue: Int, rank: Rank)] = [:]
    private var lastTicket = 0

    /// A state with a limit of requests in flight and no requests.
    init(slots: Int) {
        free = slots
    }

    /// The permit of a request without a rate, if no request waits and the limit is not reached: the usual case.
    mutating func issueAtOnce(_ request: PermitRequest) -> Permit? {
        guard isEmpty, request.queue == nil, free > 0 || !request.needsSlot else { return nil }
        if request.needsSlot {
            free -= 1
            queues[0].inFlight += 1
        }
        return Permit(queue: nil, hasSlot: request.needsSlot)
    }

    /// Adds a request, and returns a ticket to withdraw it with.
    mutating func enqueue(_ request: PermitRequest, now: Duration) -> Int {
        lastTicket += 1
        let queue = request.queue.map { self.queue(of: $0) } ?? 0
        let rank = Rank(request)
        let waiting = Waiting(
            ticket: lastTicket,
            arrival: now,
            isFinal: request.isFinal,
            limit: rank == .session ? nil : request.queue?.limit
        )
        queues[queue].waiting[rank.rawValue].append(waiting)
        waitingRanks[lastTicket] = (queue, rank)
        return lastTicket
    }

    /// Whether no request waits.
    var isEmpty: Bool { waitingRanks.isEmpty }

    /// Issues permits to the requests that can start now.
    mutating func advance(now: Duration) -> Step {
        var step: Step = ([], nil)
        guard !isEmpty else { return step }
        while let (queue, rank) = next(now: now, &step.wake) {
            guard let waiting = queues[queue].waiting[rank.rawValue].popFirst() else { break }
            waitingRanks[waiting.ticket] = nil
            queues[queue].rate?.begin(at: now, waitingSince: waiting.arrival)
            if rank != .session {
                free -= 1
                queues[queue].inFlight += 1
            }
            step.issued.append((waiting.ticket, Permit(queue: queues[queue].name, hasSlot: rank != .session)))
            step.wake = nil
        }
        return step
    }

    mutating func release(_ permit: Permit) {
        guard permit.hasSlot else { return }
        free += 1
        queues[permit.queue.flatMap { indices[$0] } ?? 0].inFlight -= 1
    }

    /// Notes whether one connection to a service carries many requests, because its limit of connections does not limit
    /// its requests then.
    mutating func note(isMultiplexed: Bool, queue: String) {
        if let queue = indices[queue] { queues[queue].isMultiplexed = isMultiplexed }
    }

    /// Withdraws a request; returns `false` if it already had its permit.
    mutating func withdraw(_ ticket: Int) -> Bool {
        guard let (queue, rank) = waitingRanks.removeValue(forKey: ticket) else { return false }
        queues[queue].waiting[rank.rawValue].removeAll { $0.ticket == ticket }
        return true
    }

    /// Withdraws all requests except those that are sent even when the run is being stopped, and returns their tickets.
    mutating func stop() -> [Int] {
        var tickets: [Int] = []
        for queue in queues.indices {
            for rank in Rank.allCases {
                queues[queue].waiting[rank.rawValue].removeAll { waiting in
                    if !waiting.isFinal { tickets.append(waiting.ticket) }
                    return !waiting.isFinal
                }
            }
        }
        for ticket in tickets { waitingRanks[ticket] = nil }
        return tickets
    }

    private mutating func queue(of queue: PermitRequest.Queue) -> Int {
        if let index = indices[queue.name] { return index }
        queues.append(QueueState(name: queue.name, rate: RateState(queue.rate)))
        indices[queue.name] = queues.count - 1
        return queues.count - 1
    }

    /// The queue and rank of the request that starts next; if there is none, sets the time when the first rate allows
    /// one.
    private func next(now: Duration, _ wake: inout Duration?) -> (queue: Int, rank: Rank)? {
        var best: (queue: Int, rank: Rank, ticket: Int)?
        for (index, queue) in queues.enumerated() {
            guard let (rank, ticket) = first(of: queue) else { continue }
            if let earliest = queue.rate?.earliest, earliest > now {
                wake = min(wake ?? earliest, earliest)
                continue
            }
            if let best, (best.rank.rawValue, best.ticket) < (rank.rawValue, ticket) { continue }
            best = (index, rank, ticket)
        }
        return best.map { ($0.queue, $0.rank) }
    }

    /// The first request of a queue that the limits of requests and connections allow to start.
    private func first(of queue: QueueState) -> (rank: Rank, ticket: Int)? {
        for rank in Rank.allCases {
            guard let waiting = queue.waiting[rank.rawValue].first else { continue }
            if rank != .session {
                guard free > 0 else { return nil }
                let least = queue.isMultiplexed ? Self.streams : 0
                if let limit = waiting.limit, queue.inFlight >= max(least, limit) { return nil }
            }
            return (rank, waiting.ticket)
        }
        return nil
    }
}
