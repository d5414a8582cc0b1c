import WaybillJSON

/// Figures of the response times of a run or of a step with `forEach`: percentiles (nearest rank) and the maximum.
package struct ResponseTimes: Sendable, Equatable {
    /// The number of responses that were measured.
    package var count: Int
    /// The time that half of the responses did not exceed.
    package var p50: Duration
    /// The time that 95 % of the responses did not exceed.
    package var p95: Duration
    /// The time that 99 % of the responses did not exceed.
    package var p99: Duration
    /// The longest time.
    package var maximum: Duration
    /// Whether the percentiles were computed from times of three significant digits.
    package var isRounded: Bool

    /// The figures with their names.
    package var list: [(name: String, time: Duration)] {
        [("p50", p50), ("p95", p95), ("p99", p99), ("max", maximum)]
    }
}

extension ResponseTimes: CustomStringConvertible {
    /// `p50 12 ms, p95 40 ms, p99 51 ms, max 80 ms of 200 responses`
    package var description: String {
        let figures = list.map { "\($0.name) \($0.time.timeText)" }.joined(separator: ", ")
        return "\(figures) of \(count == 1 ? "1 response" : "\(count) responses")"
    }
}

extension ResponseTimes: JSONStreamable {
    /// Writes `{count, p50, p95, p99, max, rounded}`, times in milliseconds.
    package func addMembers(to object: inout JSONStream) {
        object.add("count", count)
        object.add("p50", milliseconds: p50)
        object.add("p95", milliseconds: p95)
        object.add("p99", milliseconds: p99)
        object.add("max", milliseconds: maximum)
        object.add("rounded", isRounded ? true : nil)
    }

    /// Reads the figures from a file of results; `nil` for anything else.
    init?(json: JSON) {
        guard let count = json["count"]?.count, let p50 = json["p50"]?.milliseconds,
            let p95 = json["p95"]?.milliseconds, let p99 = json["p99"]?.milliseconds,
            let maximum = json["max"]?.milliseconds
        else { return nil }
        self.init(count: count, p50: p50, p95: p95, p99: p99, maximum: maximum, isRounded: json["rounded"] == true)
    }
}

/// Counts response times by microsecond. Once there are more than 10,000 different ones, it rounds them to three
/// significant digits, which limits the memory. The maximum is always exact.
package struct ResponseTimeCounter: Sendable {
    private static let maximumTimes = 10_000

    /// The number of responses by time in microseconds.
    private var counts: [Int64: Int] = [:]
    private var maximum: Int64 = 0
    private var isRounded = false

    /// Creates a counter without any response.
    package init() {}

    /// Counts a response.
    package mutating func add(_ time: Duration) {
        add(max(0, Int64((time / .microseconds(1)).rounded())), count: 1)
    }

    /// Adds the responses that another one has counted.
    package mutating func add(_ other: ResponseTimeCounter) {
        for (time, count) in other.counts { add(time, count: count) }
        maximum = max(maximum, other.maximum)
        isRounded = isRounded || other.isRounded
    }

    private mutating func add(_ time: Int64, count: Int) {
        maximum = max(maximum, time)
        counts[isRounded ? Self.rounded(time) : time, default: 0] += count
        guard !isRounded, counts.count > Self.maximumTimes else { return }
        isRounded = true
        counts = Dictionary(counts.map { (Self.rounded($0.key), $0.value) }, uniquingKeysWith: +)
    }

    private static func rounded(_ time: Int64) -> Int64 {
        var unit: Int64 = 1
        while time / unit >= 1_000 { unit *= 10 }
        return (time + unit / 2) / unit * unit
    }

    /// The figures; `nil` without any response.
    package var figures: ResponseTimes? {
        let sorted = counts.sorted { $0.key < $1.key }
        let total = sorted.reduce(0) { $0 + $1.value }
        guard total > 0 else { return nil }
        func percentile(_ percent: Int) -> Duration {
            var rest = max(1, (total * percent + 99) / 100)
            let time = sorted.first { entry in
                rest -= entry.value
                return rest <= 0
            }
            return .microseconds(min(time?.key ?? maximum, maximum))
        }
        return ResponseTimes(
            count: total,
            p50: percentile(50),
            p95: percentile(95),
            p99: percentile(99),
            maximum: .microseconds(maximum),
            isRounded: isRounded
        )
    }
}
