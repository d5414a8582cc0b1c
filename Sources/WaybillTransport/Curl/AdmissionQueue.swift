import DequeModule

/// Decides which request starts next: within an origin the highest priority, and first come, first served within that;
/// the origins by turns; never more than the origin's and the whole limit at once.
///
/// libcurl has such limits too, but one for all hosts, and its timeouts do not run while a request waits for them.
struct AdmissionQueue<Element> {
    typealias Priority = TransferOptions.Priority

    private struct Line {
        var active = 0
        var waiting: Deque<(limit: Int, priority: Priority, element: Element)> = []
        var isQueued = false
        var isMultiplexed = false

        mutating func insert(_ element: Element, limit: Int, priority: Priority) {
            var index = waiting.endIndex
            while index > waiting.startIndex && waiting[index - 1].priority.rawValue < priority.rawValue { index -= 1 }
            waiting.insert((limit, priority, element), at: index)
        }

        var canAdmit: Bool {
            let least = isMultiplexed ? AdmissionQueue.streamsPerConnection : 0
            return waiting.first.map { active < max(least, $0.limit) } ?? false
        }
    }

    // What servers should allow at least by RFC 9113, section 6.5.2, and libcurl's own limit.
    private static var streamsPerConnection: Int { 100 }

    private let totalLimit: Int
    private var totalActive = 0
    private var lines: [Origin: Line] = [:]
    // The origins with an element that may start, each once.
    private var ready: Deque<Origin> = []
    private var multiplexed: Set<Origin> = []

    /// A queue that lets at most this many elements be active at once.
    init(totalLimit: Int) {
        self.totalLimit = totalLimit
    }

    /// Puts an element at the end of its origin's line. It starts when fewer than `limit` are active there.
    mutating func enqueue(_ element: Element, origin: Origin, limit: Int, priority: Priority = .default) {
        if lines[origin] == nil {
            lines[origin] = Line()
            lines[origin]?.isMultiplexed = multiplexed.contains(origin)
        }
        lines[origin]?.insert(element, limit: limit, priority: priority)
        makeReady(origin)
    }

    /// Says whether an origin's connections carry many requests at once, so that its limit of connections is none of
    /// requests: as many may be active as one connection carries.
    mutating func setMultiplexed(_ isMultiplexed: Bool, at origin: Origin) {
        guard isMultiplexed || !multiplexed.isEmpty else { return }
        if isMultiplexed { multiplexed.insert(origin) } else { multiplexed.remove(origin) }
        lines[origin]?.isMultiplexed = isMultiplexed
    }

    /// Takes the next element that may start; it is active until `finished` is called for its origin.
    mutating func next() -> Element? {
        guard totalActive < totalLimit, let origin = ready.popFirst() else { return nil }
        guard let element = lines[origin]?.waiting.popFirst()?.element else { return nil }
        lines[origin]?.isQueued = false
        lines[origin]?.active += 1
        totalActive += 1
        makeReady(origin)
        return element
    }

    /// Says that an active element of an origin has ended.
    mutating func finished(at origin: Origin) {
        totalActive -= 1
        lines[origin]?.active -= 1
        settle(origin)
    }

    /// Takes waiting elements of an origin away.
    mutating func removeWaiting(at origin: Origin, where isUnwanted: (Element) -> Bool) {
        lines[origin]?.waiting.removeAll { isUnwanted($0.element) }
        settle(origin)
    }

    private mutating func settle(_ origin: Origin) {
        guard let line = lines[origin] else { return }
        if line.isQueued && !line.canAdmit {
            ready.removeAll { $0 == origin }
            lines[origin]?.isQueued = false
        }
        if line.active == 0 && line.waiting.isEmpty {
            lines[origin] = nil
        } else {
            makeReady(origin)
        }
    }

    private mutating func makeReady(_ origin: Origin) {
        guard let line = lines[origin], !line.isQueued, line.canAdmit else { return }
        lines[origin]?.isQueued = true
        ready.append(origin)
    }
}
