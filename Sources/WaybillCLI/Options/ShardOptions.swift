import ArgumentParser
import WaybillPlan

/// The share of a run that this process executes.
struct ShardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run shard K of N: the steps with 'shard: true' for this share of their elements, and what comes before them.",
            valueName: "k/n"
        ),
        transform: { text in
            guard let shard = Shard(text) else {
                throw ValidationError("expected K/N with 1 <= K <= N <= \(Shard.maximumCount), such as 1/4")
            }
            return shard
        }
    )
    var shard: Shard?

    @Flag(help: "Do not divide 'rate' and 'maxConnections' among the shards, because each has an address of its own.")
    var fullLimits = false

    func validate() throws {
        if fullLimits, shard == nil { throw ValidationError("--full-limits requires --shard.") }
    }

    /// The shard with its limits, if there is one.
    var value: Shard? {
        var shard = shard
        shard?.hasFullLimits = fullLimits
        return shard
    }
}
