import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// What a resumed run does with steps that run several times, or that use what ran again.
@Suite(.timeLimit(.minutes(5))) struct ResumedRoundTests {
    private static func willSend(_ path: String) -> String { "\"type\":\"request.willSend\",\"step\":\"\(path)\"" }

    /// Answers with the number of requests for the same path so far.
    private static func counting() -> @Sendable (String) -> ScriptedTransport.Reply? {
        let counter = Counter()
        return { path in .json("{\"n\": \(counter.next(path))}") }
    }

    private final class Counter: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        func next(_ path: String) -> Int {
            counts.withLock { counts in
                counts[path, default: 0] += 1
                return counts[path] ?? 0
            }
        }
    }

    @Test func `a run with a response that is nested as deeply as possible is resumed`() async throws {
        let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let text = """
            graphs:
              main:
                chain:
                  - {id: x, post: /x, outputs: {o: $}}
                  - {id: y, get: /y}
                  - {id: z, post: "/z/${length(steps.x.outputs.o)}"}
            """
        let run = try await ResumedRun(text, killedAfter: Self.willSend("main.y")) { path in
            path == "/x" ? .json(deep) : nil
        }
        #expect(run.messages == [])
        #expect(run.sent == ["GET /y", "POST /z/1"])
    }

    @Test(arguments: [
        "chain: [{id: x, post: /x}, {id: y, get: /y}, {id: z, post: \"/z/${steps.x.data.n}\"}]",
        "graph: sub",
    ])
    func `the last round of an until around steps is continued`(work: String) async throws {
        let condition = work.hasPrefix("graph") ? "steps.u.outputs.n" : "steps.x.data.n"
        let text = """
            graphs:
              main: {chain: [{id: u, until: {that: "\(condition) >= 2", every: 1ms, times: 3}, \(work)}]}
              sub:
                chain: [{id: x, post: /x}, {id: y, get: /y}, {id: z, post: "/z/${steps.x.data.n}"}]
                outputs: {n: steps.x.data.n}
            """
        let run = try await ResumedRun(text, killedAfter: Self.willSend("main.u.y"), answering: Self.counting())
        #expect(run.messages == [])
        #expect(run.sent == ["GET /y", "POST /z/2"])
        let unsure = try await ResumedRun(text, killedAfter: Self.willSend("main.u.z"), answering: Self.counting())
        #expect(unsure.sent == [])
        #expect(unsure.messages.count == 1)
        #expect(unsure.messages.allSatisfy { $0.hasSuffix("its response is not recorded") })
    }

    @Test func `uuid has one value for each round, also in a resumed one`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - id: u
                    until: {that: steps.x.data.n >= 2, every: 1ms, times: 3}
                    chain: [{id: x, post: /x}, {id: y, put: "/y/${uuid()}"}]
            """
        let keys = Mutex<[String]>([])
        let answer = Self.counting()
        let run = try await ResumedRun(text, killedAfter: Self.willSend("main.u.y")) { path in
            if path.hasPrefix("/y/") { keys.withLock { $0.append(path) } }
            return answer(path)
        }
        let sent = keys.withLock { $0 }
        #expect(sent.count == 3 && sent[0] != sent[1] && sent[1] == sent[2], "\(sent)")
        #expect(run.sent == ["PUT \(sent[1])"])
    }

    @Test func `values that use the result of a step that runs again are evaluated again`() async throws {
        let text = """
            graphs:
              main:
                onFailure: collect
                chain:
                  - {id: a, get: /a}
                  - {id: b, post: /b}
                  - {id: count, values: {n: "default(steps.a.data.n, 0)", id: uuid()}}
                  - {id: other, values: {m: "default(steps.b.data.n, 0)"}}
                  - {id: sum, values: {n: "default(steps.count.outputs.n, 0) + default(steps.other.outputs.m, 0)"}}
                outputs: {n: "default(steps.sum.outputs.n, null)"}
            """
        let folder = TemporaryFolder()
        let fixture = { (status: Int) in
            try ExecutionFixture(text, ["/a": .json(#"{"n": 7}"#, status: status), "/b": .json(#"{"n": 1}"#)])
        }
        let (outcome, _) = try await fixture(500).run(into: folder)
        #expect(outcome.result.outcome == .failed)
        let resumed = try await ResumedRun(fixture(200), in: folder)
        #expect(resumed.sent == ["GET /a"])
        #expect(resumed.outcome?.outputs.map { JSONWriter().string($0.values.value) } == [#"{"n":8}"#])
    }
}
