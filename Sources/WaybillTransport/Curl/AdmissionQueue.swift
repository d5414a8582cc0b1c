import DequeModule

/// Decides which request starts next: within an origin the highest priority, and first come, first served within that;
/// the origins by turns; never more than the origin's and the whole limit at once.
///
/// libcurl has such limits too, but one for all hosts, and its timeouts do not run while a request waits for them.
///
/// Used only on the engine's thread.
final class AdmissionQueue<Element> {
    typealias Priority = TransferOptions.Priority

    /// The elements of one origin.
    private final class Line {
        let origin: Origin
        var active = 0
        var waiting: Deque<(limit: Int, priority: Priority, element: Element)> = []
        var isQueued = false
        var isMultiplexed: Bool

        init(_ origin: Origin, isMultiplexed: Bool) {
            self.origin = origin
            self.isMultiplexed = isMultiplexed
        }

        func insert(_ element: Element, limit: Int, priority: Priority) {
            var index = waiting.endIndex
            while index > waiting.startIndex && waiting[index - 1].priority.rawValue < priority.rawValue { index -= 1 }
            waiting.insert((limit, priority, element), at: index)
        }

        var isIdle: Bool { active == 0 && waiting.isEmpty }

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
    // The line that was asked for last. It is kept without elements: the next one is mostly for the same origin.
    private var latest: Line?
    // The lines with an element that may start, each once.
    private var ready: Deque<Line> = []
    private var multiplexed: Set<Origin> = []

    /// A queue that lets at most this many elements be active at once.
    init(totalLimit: Int) {
        self.totalLimit = totalLimit
    }

    /// Puts an element at the end of its origin's line. It starts when fewer than `limit` are active there.
    func enqueue(_ element: Element, origin: Origin, limit: Int, priority: Priority = .default) {
        let line = line(of: origin) ?? addLine(origin)
        line.insert(element, limit: limit, priority: priority)
        makeReady(line)
    }

    /// Says whether an origin's connections carry many requests at once, so that its limit of connections is none of
    /// requests: as many may be active as one connection carries.
    func setMultiplexed(_ isMultiplexed: Bool, at origin: Origin) {
        guard isMultiplexed || !multiplexed.isEmpty else { return }
        if isMultiplexed { multiplexed.insert(origin) } else { multiplexed.remove(origin) }
        lines[origin]?.isMultiplexed = isMultiplexed
    }

    /// Takes the next element that may start; it is active until `finished` is called for its origin.
    func next() -> Element? {
        guard totalActive < totalLimit, let line = ready.popFirst() else { return nil }
        guard let element = line.waiting.popFirst()?.element else { return nil }
        line.isQueued = false
        line.active += 1
        totalActive += 1
        makeReady(line)
        return element
    }

    /// Says that an active element of an origin has ended.
    func finished(at origin: Origin) {
        totalActive -= 1
        guard let line = line(of: origin) else { return }
        line.active -= 1
        settle(line)
    }

    /// Takes waiting elements of an origin away.
    func removeWaiting(at origin: Origin, where isUnwanted: (Element) -> Bool) {
        guard let line = line(of: origin) else { return }
        line.waiting.removeAll { isUnwanted($0.element) }
        settle(line)
    }

    private func addLine(_ origin: Origin) -> Line {
        let line = Line(origin, isMultiplexed: multiplexed.contains(origin))
        lines[origin] = line
        makeLatest(line)
        return line
    }

    private func line(of origin: Origin) -> Line? {
        if let latest, latest.origin == origin { return latest }
        guard let line = lines[origin] else { return nil }
        makeLatest(line)
        return line
    }

    private func makeLatest(_ line: Line) {
        if let latest, latest.isIdle { lines[latest.origin] = nil }
        latest = line
    }

    private func settle(_ line: Line) {
        if line.isQueued && !line.canAdmit {
            ready.removeAll { $0 === line }
            line.isQueued = false
        }
        if line.isIdle {
            if line !== latest { lines[line.origin] = nil }
        } else {
            makeReady(line)
        }
    }

    private func makeReady(_ line: Line) {
        guard !line.isQueued, line.canAdmit else { return }
        line.isQueued = true
        ready.append(line)
    }
}
