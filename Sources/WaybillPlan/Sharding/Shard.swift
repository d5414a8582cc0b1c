import WaybillDiagnostics
package import WaybillJSON
import WaybillManifest

/// One of the equal shares into which the elements of the sharded steps are divided, each of which a process runs.
package struct Shard: Sendable, Equatable {
    /// The number of the shard, from 1.
    package let number: Int
    /// The number of shards.
    package let count: Int
    /// Whether the shard may use the services' whole `rate` and `maxConnections`, instead of its share.
    package var hasFullLimits = false

    /// The maximum number of shards.
    package static let maximumCount = 10_000

    /// Creates a shard; `nil` unless `1 <= number <= count`, and `count` is at most `maximumCount`.
    package init?(_ number: Int, of count: Int) {
        guard (1...Self.maximumCount).contains(count), (1...count).contains(number) else { return nil }
        (self.number, self.count) = (number, count)
    }

    /// Parses `3/8`; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let number = Int(parts[0]), let count = Int(parts[1])
        else { return nil }
        self.init(number, of: count)
    }

    /// The shard as it is written on the command line, such as `3/8`.
    package var text: String { "\(number)/\(count)" }

    /// Returns the indices of the elements of this shard, if a list has this many. The shares are contiguous, so that the
    /// files of all shards in their order have the records in the order of the list; their sizes differ by at most 1.
    package func range(of elements: Int) -> Range<Int> {
        bound(number - 1, elements)..<bound(number, elements)
    }

    /// Returns `elements * part / count`, without overflow.
    private func bound(_ part: Int, _ elements: Int) -> Int {
        elements / count * part + elements % count * part / count
    }

    /// Returns this shard's share of a maximum number, at least 1.
    package func share(of maximum: Int) -> Int {
        hasFullLimits ? maximum : max(1, range(of: maximum).count)
    }
}

/// The part of a run that one process executes, if several processes share the run.
package enum RunPart: Sendable, Equatable {
    /// The steps before the sharded ones.
    case before
    /// The sharded steps for one share of their elements, after the steps before them.
    case shard(Shard)

    /// The shard, if it is one.
    package var shard: Shard? {
        if case .shard(let shard) = self { shard } else { nil }
    }

    /// The part as text for people, such as `shard 3/8`.
    package var text: String {
        switch self {
        case .before: "the steps before the shards"
        case .shard(let shard): "shard \(shard.text)"
        }
    }
}

extension RunPart {
    /// The part as it is written to the journal: `{"phase": "before"}`, or `{"shard": 3, "shards": 8}`, with
    /// `"fullLimits": true` if the limits of the services are not divided.
    package var json: JSON {
        switch self {
        case .before: return ["phase": "before"]
        case .shard(let shard):
            var object = JSONObject([
                ("shard", .number(JSONNumber(shard.number))), ("shards", .number(JSONNumber(shard.count))),
            ])
            if shard.hasFullLimits { object["fullLimits"] = true }
            return .object(object)
        }
    }

    /// Reads the part from its form in the journal; `nil` for anything else.
    package init?(json: JSON?) {
        if json?["phase"] == "before" {
            self = .before
        } else if let number = json?["shard"]?.number?.int, let count = json?["shards"]?.number?.int,
            var shard = Shard(number, of: count)
        {
            shard.hasFullLimits = json?["fullLimits"] == true
            self = .shard(shard)
        } else {
            return nil
        }
    }
}

/// When a step of a graph runs, if the graph's sharded steps are divided among several processes.
package enum ShardPhase: Sendable, Comparable {
    /// Before the sharded steps: once, or in the process of each shard.
    case before
    /// In the process of each shard, for its share of the elements.
    case shards
    /// After all shards.
    case after

    /// Returns the phases of the steps of a graph's own chain or batch.
    ///
    /// In a chain, the steps after the first sharded one are in the phase after the shards, unless they are sharded
    /// themselves; in a batch, those that need a sharded step, directly or indirectly.
    ///
    /// - Parameter steps: The ids by which siblings name the steps in `needs`, and their flows.
    static func phases(of steps: [(id: String?, flow: Flow?)], order: Group.Order) -> [ShardPhase] {
        let isSharded = steps.map { $0.flow?.forEach?.isSharded ?? false }
        switch order {
        case .chain:
            let first = isSharded.firstIndex(of: true) ?? steps.count
            return steps.indices.map { isSharded[$0] ? .shards : $0 < first ? .before : .after }
        case .batch:
            var phases = isSharded.map { $0 ? ShardPhase.shards : .before }
            var late = Set(steps.indices.filter { isSharded[$0] }.compactMap { steps[$0].id })
            var hasChanged = !late.isEmpty
            while hasChanged {
                hasChanged = false
                for (index, step) in steps.enumerated() where phases[index] == .before {
                    guard step.flow?.needs.contains(where: { late.contains($0.value) }) ?? false else { continue }
                    phases[index] = .after
                    hasChanged = step.id.map { late.insert($0).inserted } ?? false || hasChanged
                }
            }
            return phases
        }
    }
}

extension StepPlan {
    /// Whether the elements of the step are divided among several processes.
    package var isSharded: Bool { flow?.forEach?.isSharded ?? false }
}
