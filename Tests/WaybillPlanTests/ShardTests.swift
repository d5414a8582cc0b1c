import Testing
import WaybillDiagnostics
import WaybillPlan

@Suite(.timeLimit(.minutes(5))) struct ShardTests {
    @Test(arguments: [0, 1, 2, 7, 100, 100_003, Int.max], [1, 2, 3, 8, 97, 10_000])
    func `the shards divide a list into contiguous shares whose sizes differ by at most 1`(
        elements: Int,
        count: Int
    ) throws {
        var end = 0
        var sizes: Set<Int> = []
        for number in 1...count {
            let range = try #require(Shard(number, of: count)).range(of: elements)
            #expect(range.lowerBound == end)
            end = range.upperBound
            sizes.insert(range.count)
        }
        #expect(end == elements)
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
    }

    @Test(arguments: [
        "0/3", "4/3", "1/0", "1/10001", "1", "/", "1/2/3", "-1/3", "+1/3", " 1/3", "a/b", "99999999999999999999/3",
    ])
    func `an invalid shard is rejected`(text: String) {
        #expect(Shard(text) == nil)
    }

    @Test func `the shares of a limit are at least 1 and add up to it`() throws {
        let shares = try (1...3).map { try #require(Shard($0, of: 3)).share(of: 8) }
        #expect(shares.sorted() == [2, 3, 3])
        #expect(try #require(Shard(2, of: 3)).share(of: 1) == 1)
        var full = try #require(Shard(1, of: 3))
        full.hasFullLimits = true
        #expect(full.share(of: 8) == 8)
    }

    @Test(arguments: ["1/1", "3/8", "10000/10000"], [false, true])
    func `a part of a run is read back from the journal`(text: String, hasFullLimits: Bool) throws {
        var shard = try #require(Shard(text))
        shard.hasFullLimits = hasFullLimits
        #expect(RunPart(json: RunPart.shard(shard).json) == .shard(shard))
        #expect(RunPart(json: RunPart.before.json) == .before)
        #expect(RunPart(json: nil) == nil)
    }

    /// The ids of the diagnostics for a graph.
    private func diagnostics(_ body: String) throws -> [String] {
        let text = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main:
                \(body)
            """
        return try PlanFixture.plan(text).diagnostics.map(\.id.name)
    }

    private static let sharded = "forEach: {in: range(9), as: n, shard: true}"

    @Test(
        arguments: [
            ("a step of the graph's chain", [], "chain: [{id: a, get: /a, \(sharded)}]"),
            ("a step of the graph's batch", [], "batch: [{id: a, get: /a, \(sharded)}, {get: /b}]"),
            ("a group", [], "chain: [{\(sharded), chain: [{id: b, get: /b}, {get: \"/${steps.b.status}\"}]}]"),
            (
                "two steps in a row, with steps before and after", [],
                "chain: [{id: o, get: /}, {id: a, get: \"/${steps.o.status}\", \(sharded)}, {get: /b, \(sharded)}, {get: \"/${length(steps.a.items)}\"}]"
            ),
            ("inside a group", ["misplaced-shard"], "chain: [{chain: [{get: /a, \(sharded)}]}]"),
            (
                "inside another forEach", ["misplaced-shard"],
                "chain: [{forEach: {in: [1], as: m}, chain: [{get: /a, \(sharded)}]}]"
            ),
            ("in finally", ["misplaced-shard"], "chain: [{get: /b}]\n    finally: [{get: /a, \(sharded)}]"),
            (
                "a step between two", ["misplaced-shard"],
                "chain: [{get: /a, \(sharded)}, {get: /between}, {get: /b, \(sharded)}]"
            ),
            (
                "one that uses the elements of another", ["misplaced-shard"],
                "chain: [{id: a, get: /a, \(sharded)}, {get: \"/${length(steps.a.items)}\", \(sharded)}]"
            ),
            (
                "one that uses them in a nested step", ["misplaced-shard"],
                "chain: [{id: a, get: /a, \(sharded)}, {\(sharded), chain: [{get: \"/${length(steps.a.items)}\"}]}]"
            ),
            (
                "one in a batch that needs another", ["misplaced-shard"],
                "batch: [{id: a, get: /a, \(sharded)}, {get: /b, needs: [a], \(sharded)}]"
            ),
            (
                "one in a batch that needs one after another", ["misplaced-shard"],
                "batch: [{id: a, get: /a, \(sharded)}, {id: m, get: /m, needs: [a]}, {get: /b, needs: [m], \(sharded)}]"
            ),
        ]
    )
    func `a sharded step must be where its elements can be divided`(
        name: String,
        expected: [String],
        body: String
    ) throws {
        #expect(try diagnostics(body) == expected, "\(name)")
    }

    @Test(
        arguments: [
            ("chain: [{id: o, get: /}, {id: a, get: /a, \(sharded)}, {id: z, get: /}]", ["o"], ["o", "a"]),
            (
                "batch: [{id: z, get: /, needs: [y]}, {id: y, get: /, needs: [a]}, {id: a, get: /a, needs: [o], \(sharded)}, {id: o, get: /}]",
                ["o"], ["a", "o"]
            ),
        ]
    )
    func `a part of a run has its steps only`(body: String, before: [String], shards: [String]) throws {
        let text = """
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main:
                \(body)
                finally: [{get: /f}]
                outputs: {x: 1}
            """
        var options = PlanOptions()
        for (part, ids) in [(RunPart.before, before), (.shard(try #require(Shard("2/3"))), shards)] {
            options.part = part
            let graph = try #require(try PlanFixture.plan(text, options: options).plan?.graphs.first)
            #expect(graph.body.steps.compactMap(\.id) == ids)
            #expect(graph.finally == nil && graph.outputs.isEmpty)
            #expect(graph.body.steps.compactMap(\.shard) == (part == .before ? [] : [part.shard]))
        }
    }
}
