import Synchronization
import Testing
import WaybillDiagnostics
import WaybillPlatform
import WaybillResults
import WaybillTestSupport

@testable import WaybillExecution

/// Random graphs, run on a transport that responds in any order and sometimes fails.
@Suite(.timeLimit(.minutes(5)), .ownThread) struct RandomGraphTests {
    /// The number of graphs. A thousand take a while, so the default is lower; `WAYBILL_SEEDS` overrides it.
    private static let seeds = getenv("WAYBILL_SEEDS").flatMap { Int(String(cString: $0)) } ?? 200

    @Test func `every step of a random graph has one outcome, after its dependencies and within the limits`()
        async throws
    {
        for seed in 0..<Self.seeds {
            var graph = RandomGraph(seed: UInt64(seed))
            let text = graph.text()
            let fixture = try ExecutionFixture(text, graph.replies)
            let listener = EventLog()
            let outcome = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
            let events = listener.events
            #expect(fixture.transport.mostUnderWay <= graph.concurrency, "seed \(seed)\n\(text)")

            var begun: [String: Int] = [:]
            var ended: [String: (at: Int, outcome: StepOutcome?)] = [:]
            for (place, event) in events.enumerated() {
                guard let step = event.step else { continue }
                switch event.kind {
                case .stepStarted:
                    #expect(begun[step] == nil && ended[step] == nil, "seed \(seed): \(step) begins twice\n\(text)")
                    begun[step] = place
                case .stepFinished(let result, _):
                    #expect(ended[step] == nil, "seed \(seed): \(step) ends twice\n\(text)")
                    ended[step] = (place, result.outcome)
                case .stepSkipped:
                    #expect(begun[step] == nil && ended[step] == nil, "seed \(seed): \(step) is skipped late\n\(text)")
                    ended[step] = (place, nil)
                default: break
                }
            }
            #expect(begun.keys.allSatisfy { ended[$0] != nil }, "seed \(seed): a step has no end\n\(text)")
            for (step, needed) in graph.needs {
                guard let start = begun.filter({ isInside($0.key, step) }).map(\.value).min() else { continue }
                let ends = ended.filter { isInside($0.key, needed) }.map(\.value.at)
                #expect(!ends.isEmpty, "seed \(seed): \(step) ran without \(needed)\n\(text)")
                #expect(
                    ends.allSatisfy { $0 < start },
                    "seed \(seed): \(step) began before \(needed) had ended\n\(text)"
                )
            }
            let listed = outcome.result.steps.map(\.path)
            #expect(Set(listed).count == listed.count, "seed \(seed): a step is listed twice\n\(text)")
            #expect(Set(listed).isSuperset(of: graph.leaves), "seed \(seed): a step is not listed\n\(text)")
            let hasFailed = outcome.result.steps.contains { $0.outcome == .failed }
            #expect(outcome.result.outcome == (hasFailed ? .failed : .passed), "seed \(seed)\n\(text)")
        }
    }
}

/// Whether a path belongs to a step or to one inside it.
private func isInside(_ path: String, _ step: String) -> Bool {
    path == step || path.hasPrefix(step + ".") || path.hasPrefix(step + "[")
}

/// Records all events in order.
private final class EventLog: RunObserver {
    private let state = Mutex<[RunEvent]>([])
    var events: [RunEvent] { state.withLock { $0 } }
    func receive(_ event: RunEvent) { state.withLock { $0.append(event) } }
}

/// A random graph and its expected properties.
private struct RandomGraph {
    private var random: SplitMix
    private var count = 0
    private(set) var concurrency = 1
    private(set) var replies: [String: ScriptedTransport.Reply] = [:]
    /// Pairs of paths: the first step must not start before the second has finished.
    private(set) var needs: [(String, String)] = []
    /// The paths of all requests outside forEach.
    private(set) var leaves: Set<String> = []

    init(seed: UInt64) {
        random = SplitMix(state: seed)
    }

    mutating func text() -> String {
        concurrency = 1 + random.next(below: 6)
        let body = group(indent: "    ", path: "main", depth: 3, isElement: false)
        return "defaults: {concurrency: \(concurrency)}\ngraphs:\n  main:\n\(body)"
    }

    private mutating func mode() -> String {
        ["stop", "collect", "continue"][random.next(below: 3)]
    }

    private mutating func group(indent: String, path: String, depth: Int, isElement: Bool) -> String {
        let isBatch = random.next(below: 2) == 0
        var text = "\(indent)onFailure: \(mode())\n"
        if isBatch, indent.utf8.count > 4, random.next(below: 3) == 0 {
            text += "\(indent)concurrency: \(1 + random.next(below: 3))\n"
        }
        text += "\(indent)\(isBatch ? "batch" : "chain"):\n"
        var before: [String] = []
        for _ in 0..<(1 + random.next(below: 4)) {
            count += 1
            let id = "s\(count)"
            text += step(id, before, isBatch, indent: indent + "  ", path: "\(path).\(id)", depth, isElement)
            if !isBatch, let last = before.last, !isElement { needs.append(("\(path).\(id)", "\(path).\(last)")) }
            before.append(id)
        }
        return text
    }

    private mutating func step(
        _ id: String,
        _ before: [String],
        _ isBatch: Bool,
        indent: String,
        path: String,
        _ depth: Int,
        _ isElement: Bool
    ) -> String {
        var text = "\(indent)- id: \(id)\n"
        let inner = indent + "  "
        if isBatch, let needed = before.randomElement(by: &random), random.next(below: 3) == 0 {
            text += "\(inner)needs: [\(needed)]\n"
            if !isElement {
                let parent = path.dropLast(id.utf8.count)
                needs.append((path, parent + needed))
            }
        }
        if random.next(below: 6) == 0 { text += "\(inner)when: 1 == \(1 + random.next(below: 2))\n" }
        var isElement = isElement
        var mode = ["stop", "continue"][random.next(below: 2)]
        if random.next(below: 5) == 0 {
            mode = self.mode()
            text += "\(inner)forEach: {in: \"range(0, \(random.next(below: 5)))\", as: e\(count)}\n"
            if !isElement { leaves.insert(path) }
            isElement = true
        }
        if depth > 0, random.next(below: 3) == 0 {
            return text + group(indent: inner, path: path, depth: depth - 1, isElement: isElement)
        }
        if random.next(below: 4) == 0 { replies["/\(id)"] = .json("{}", status: 500) }
        if !isElement { leaves.insert(path) }
        return text + "\(inner)get: /\(id)\n\(inner)onFailure: \(mode)\n"
    }
}

extension Array {
    fileprivate func randomElement(by random: inout SplitMix) -> Element? {
        isEmpty ? nil : self[random.next(below: count)]
    }
}
