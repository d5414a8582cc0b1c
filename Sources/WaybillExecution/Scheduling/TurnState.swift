import DequeModule
import WaybillManifest

/// Decides which of the waiting requests begins when: never more at once than there are places, none before its rate lets
/// it, those of higher priority first, and among equals the one that came first. One that its rate holds up does not hold
/// up others.
struct TurnState: Sendable {
    /// The numbers of those that begin now, and when to look again where nothing happens before.
    typealias Step = (begun: [(ticket: Int, turn: Turn)], wake: Duration?)

    private struct Waiting {
        var ticket: Int
        var arrival: Duration
        var isFinal: Bool
        var limit: Int?
    }

    private struct Line {
        var name: String?
        var rate: RateState?
        /// How many of its requests are under way that count for its limit.
        var underWay = 0
        /// Whether one connection carries many requests.
        var isMultiplexed = false
        /// Those that wait, by rank.
        var waiting: [Deque<Waiting>] = Array(repeating: [], count: Rank.allCases.count)
    }

    /// Who goes first.
    private enum Rank: Int, CaseIterable {
        case session, high, `default`, low

        init(_ wish: TurnWish) {
            self =
                switch wish.priority {
                case _ where !wish.needsPlace: .session
                case .high: .high
                case .default: .default
                case .low: .low
                }
        }
    }

    /// How many requests one connection carries at least, where it carries many (RFC 9113, section 6.5.2).
    private static let streams = 100

    private var free: Int
    private var lines = [Line()]
    private var indices: [String: Int] = [:]
    private var places: [Int: (line: Int, rank: Rank)] = [:]
    private var lastTicket = 0

    /// So many places, and nobody who wants one.
    init(places: Int) {
        free = places
    }

    /// The turn of a request that falls under no rate, where nobody waits and there is a place: most that ask begin so.
    mutating func beginAtOnce(_ wish: TurnWish) -> Turn? {
        guard isEmpty, wish.lane == nil, free > 0 || !wish.needsPlace else { return nil }
        if wish.needsPlace {
            free -= 1
            lines[0].underWay += 1
        }
        return Turn(lane: nil, hasPlace: wish.needsPlace)
    }

    /// A request that wants its turn; the number is for taking the wish back.
    mutating func enter(_ wish: TurnWish, now: Duration) -> Int {
        lastTicket += 1
        let line = wish.lane.map { self.line(of: $0) } ?? 0
        let rank = Rank(wish)
        let waiting = Waiting(
            ticket: lastTicket,
            arrival: now,
            isFinal: wish.isFinal,
            limit: rank == .session ? nil : wish.lane?.limit
        )
        lines[line].waiting[rank.rawValue].append(waiting)
        places[lastTicket] = (line, rank)
        return lastTicket
    }

    /// Whether nobody waits.
    var isEmpty: Bool { places.isEmpty }

    /// Who begins now.
    mutating func advance(now: Duration) -> Step {
        var step: Step = ([], nil)
        guard !isEmpty else { return step }
        while let (line, rank) = next(now: now, &step.wake) {
            guard let waiting = lines[line].waiting[rank.rawValue].popFirst() else { break }
            places[waiting.ticket] = nil
            lines[line].rate?.begin(at: now, waitingSince: waiting.arrival)
            if rank != .session {
                free -= 1
                lines[line].underWay += 1
            }
            step.begun.append((waiting.ticket, Turn(lane: lines[line].name, hasPlace: rank != .session)))
            step.wake = nil
        }
        return step
    }

    /// Takes a turn back.
    mutating func leave(_ turn: Turn) {
        guard turn.hasPlace else { return }
        free += 1
        lines[turn.lane.flatMap { indices[$0] } ?? 0].underWay -= 1
    }

    /// Notes whether one connection to a service carries many requests, so that its limit of connections is none of
    /// requests.
    mutating func note(isMultiplexed: Bool, lane: String) {
        if let line = indices[lane] { lines[line].isMultiplexed = isMultiplexed }
    }

    /// Takes a wish back; `false` when its turn has come before.
    mutating func withdraw(_ ticket: Int) -> Bool {
        guard let (line, rank) = places.removeValue(forKey: ticket) else { return false }
        lines[line].waiting[rank.rawValue].removeAll { $0.ticket == ticket }
        return true
    }

    /// Takes back the wishes of all that do not wait on when the run is being stopped.
    mutating func stop() -> [Int] {
        var tickets: [Int] = []
        for line in lines.indices {
            for rank in Rank.allCases {
                lines[line].waiting[rank.rawValue].removeAll { waiting in
                    if !waiting.isFinal { tickets.append(waiting.ticket) }
                    return !waiting.isFinal
                }
            }
        }
        for ticket in tickets { places[ticket] = nil }
        return tickets
    }

    private mutating func line(of lane: TurnWish.Lane) -> Int {
        if let index = indices[lane.name] { return index }
        lines.append(Line(name: lane.name, rate: RateState(lane.rate)))
        indices[lane.name] = lines.count - 1
        return lines.count - 1
    }

    /// The line and rank of the one that begins next; where there is none, when the first rate lets one begin.
    private func next(now: Duration, _ wake: inout Duration?) -> (line: Int, rank: Rank)? {
        var best: (line: Int, rank: Rank, ticket: Int)?
        for (index, line) in lines.enumerated() {
            guard let (rank, ticket) = first(of: line) else { continue }
            if let earliest = line.rate?.earliest, earliest > now {
                wake = min(wake ?? earliest, earliest)
                continue
            }
            if let best, (best.rank.rawValue, best.ticket) < (rank.rawValue, ticket) { continue }
            best = (index, rank, ticket)
        }
        return best.map { ($0.line, $0.rank) }
    }

    /// The first of a line that may begin as far as places are concerned.
    private func first(of line: Line) -> (rank: Rank, ticket: Int)? {
        for rank in Rank.allCases {
            guard let waiting = line.waiting[rank.rawValue].first else { continue }
            if rank != .session {
                guard free > 0 else { return nil }
                let least = line.isMultiplexed ? Self.streams : 0
                if let limit = waiting.limit, line.underWay >= max(least, limit) { return nil }
            }
            return (rank, waiting.ticket)
        }
        return nil
    }
}
