import DequeModule
import WaybillRuntime

/// Decides which request starts next. Origins take turns; within an origin, requests start by priority, then in order
/// of arrival. The number of active requests never exceeds the total limit, nor the origin's limit unless its
/// connections are multiplexed.
///
/// libcurl has such limits too, but only one for all hosts, and its timeouts do not run while a request waits for them.
///
/// Used only on the engine's thread.
final class AdmissionQueue<Element> {
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
            while index > waiting.startIndex && waiting[index - 1].priority.isBelow(priority) { index -= 1 }
            waiting.insert((limit, priority, element), at: index)
        }

        var isIdle: Bool { active == 0 && waiting.isEmpty }

        var canAdmit: Bool {
            let least = isMultiplexed ? AdmissionQueue.streamsPerConnection : 0
            return waiting.first.map { active < max(least, $0.limit) } ?? false
        }
    }

    // The minimum that servers should allow (RFC 9113, section 6.5.2), and libcurl's own limit.
    private static var streamsPerConnection: Int { 100 }

    private let totalLimit: Int
    private var totalActive = 0
    private var lines: [Origin: Line] = [:]
    // The line that was used last. It is kept even if it is empty, because the next element is usually for the same
    // origin.
    private var latest: Line?
    // The lines with an element that may start, each once.
    private var ready: Deque<Line> = []
    private var multiplexed: Set<Origin> = []

    /// Creates a queue with at most this many active elements.
    init(totalLimit: Int) {
        self.totalLimit = totalLimit
    }

    /// Adds an element to its origin's line, after those of the same or a higher priority. It starts when fewer than
    /// `limit` are active there.
    func enqueue(_ element: Element, origin: Origin, limit: Int, priority: Priority = .default) {
        let line = line(of: origin) ?? addLine(origin)
        line.insert(element, limit: limit, priority: priority)
        makeReady(line)
    }

    /// Sets whether an origin's connections carry many requests at once. If so, its limit of connections does not limit
    /// its requests: at least as many may be active as one connection carries.
    func setMultiplexed(_ isMultiplexed: Bool, at origin: Origin) {
        guard isMultiplexed || !multiplexed.isEmpty else { return }
        if isMultiplexed { multiplexed.insert(origin) } else { multiplexed.remove(origin) }
        lines[origin]?.isMultiplexed = isMultiplexed
    }

    /// Removes and returns the next element that may start, if any. It is active until `finished` is called for its
    /// origin.
    func next() -> Element? {
        guard totalActive < totalLimit, let line = ready.popFirst() else { return nil }
        guard let element = line.waiting.popFirst()?.element else { return nil }
        line.isQueued = false
        line.active += 1
        totalActive += 1
        makeReady(line)
        return element
    }

    /// Marks an active element of an origin as finished.
    func finished(at origin: Origin) {
        totalActive -= 1
        guard let line = line(of: origin) else { return }
        line.active -= 1
        settle(line)
    }

    /// Removes waiting elements of an origin.
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
