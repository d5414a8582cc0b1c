import WaybillDiagnostics
import WaybillPlan

extension RunPlan {
    /// A part of a run that several processes share: each runs the steps with `shard: true` for its share of their elements.
    public enum Part: Sendable, Hashable {
        /// The steps before the sharded ones. ``ManifestRun/resume(_:asShard:of:into:inputs:variables:allowsOutside:options:)``
        /// continues with a shard.
        case beforeShards
        /// A shard, and what comes before it: its number, from 1, and the number of shards, at most 10,000.
        case shard(_ number: Int, of: Int)
    }
}

extension RunPlan.Part {
    /// The part as the plan has it.
    func inner() throws(ManifestError) -> RunPart {
        guard case .shard(let number, let count) = self else { return .before }
        guard let shard = Shard(number, of: count) else {
            let message = "shard \(number) of \(count) does not exist"
            throw ManifestError([Diagnostic("out-of-range", message, at: nil, help: ["The first shard is 1 of N."])])
        }
        return .shard(shard)
    }
}
