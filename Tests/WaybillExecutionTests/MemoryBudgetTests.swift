import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@testable import WaybillExecution

/// The limits of the memory that the values of a run take.
@Suite(.timeLimit(.minutes(5))) struct MemoryBudgetTests {
    /// A list of some strings of one kilobyte, the first of which is shorter.
    private static func list(_ count: Int, _ first: String = "") -> ScriptedTransport.Reply {
        let strings = Array(repeating: "\"" + String(repeating: "x", count: 1000) + "\"", count: count - 1)
        return .json("[\"\(first)\"," + strings.joined(separator: ",") + "]")
    }

    /// Keys of a request with a list of two megabytes that insert it into each of its elements.
    private static let growth: [(key: String, kind: FailureKind)] = [
        ("filters: [{map: {z: \"${$}\"}}]", .filter),
        ("filters: [{map: \"${list($, $)}\"}, {map: \"${$}\"}]", .filter),
        ("filters: [{map: {z: \"${item}\"}}, {set: {all: $}}]", .filter),
        ("filters: [{select: \"$[*,*,*,*,*,*,*,*]\"}, {map: \"${$}\"}]", .filter),
        ("outputs: {x: $}, filters: [{default: []}, {map: [\"${$}\", \"${$}\"]}]", .filter),
        ("write: {to: a.ndjson, columns: [{all: $}]}", .output),
    ]

    @Test(arguments: growth)
    func `data that would take more than a gibibyte are refused`(key: String, kind: FailureKind) async throws {
        let fixture = try ExecutionFixture(
            "graphs:\n  main:\n    chain:\n      - {id: a, get: /a, \(key)}\n",
            ["/a": Self.list(2000)]
        )
        let (outcome, _) = try await fixture.run(into: TemporaryFolder())
        let failure = try #require(outcome.result.steps.first?.failure)
        #expect(failure.kind == kind)
        #expect(failure.message.string.contains("the value takes more than 1 GiB of memory"), "\(failure)")
    }

    /// Bodies, and the memory that decoding a byte of them takes at least, and should be counted as at most.
    static let bodies: [(type: String, text: String, range: ClosedRange<Int>)] = [
        ("text/csv", ",\n", 98...200), ("text/csv", "1\n", 76...200), ("text/csv", ",,,,,,,,\n", 84...200),
        ("text/csv", "a number,another one,and a third\n", 5...25), ("text/html", "<p>", 56...100),
        ("application/json", "1,", 21...30),
    ]

    @Test(arguments: bodies.indices)
    func `the memory of a body is counted by its format`(index: Int) {
        let (type, text, range) = Self.bodies[index]
        let body = Array(String(repeating: text, count: 1000).utf8)
        let response = HTTPResponse(
            status: 200,
            headers: [HTTPField(name: "Content-Type", value: type)],
            body: body,
            url: ""
        )
        let decoder = ResponseDecoder(decoding: type == "text/html" ? .html : .auto)
        #expect(range.contains(decoder.decodedSize(of: response) / body.count))
    }

    @Test func `values that grow from step to step are refused`() async throws {
        let steps = (1...2).map { number in
            let parts = Array(repeating: "steps.s\(number - 1).outputs.x", count: 100).joined(separator: ", ")
            return "      - {id: s\(number), values: {x: \"list(\(parts))\"}}\n"
        }
        let fixture = try ExecutionFixture(
            "graphs:\n  main:\n    chain:\n      - {id: s0, get: /a, outputs: {x: $}}\n" + steps.joined(),
            ["/a": Self.list(400)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "s0:passed s1:passed s2:failed")
        #expect(outcome.result.steps.last?.failure?.kind == .output)
    }

    @Test(
        arguments: [
            "values: {x: \"list(\(Array(repeating: "steps.s.data", count: 400).joined(separator: ", ")))\"}",
            "get: /a, outputs: {x: \"list(\(Array(repeating: "$", count: 400).joined(separator: ", ")))\"}",
        ]
    )
    func `a step whose results take too long to record fails at its deadline`(work: String) async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: s, get: /a}
                  - {id: a, deadline: 150ms, \(work)}
                  - {id: b, values: {x: "default(steps.a, null)"}}
            """,
            // Counting long strings takes no time, but writing them does.
            ["/a": .json("\"\(String(repeating: "x", count: 1 << 20))\"")]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "s:passed a:failed b:skipped")
        let failure = try #require(outcome.result.steps.first { $0.id == "a" }?.failure)
        #expect(failure.message.string == "the deadline of 150ms has passed")
    }

    private static let full =
        "the results that later steps use take more than 1 GiB of memory together; use only a part of them, such as an "
        + "output, or write records to a file"

    /// Steps with results of two megabytes each, which a later step uses, in a memory of five.
    private static let kept = [
        "{id: a, get: /a}, {id: b, get: /a}, {id: c, get: /a}, {id: z, values: {x: \"length(steps.a.data) + length(steps.b.data) + length(steps.c.data)\"}}":
            "a:passed b:passed c:failed z:skipped",
        "{id: a, get: /a, outputs: {x: $}}, {id: b, values: {x: steps.a.outputs.x}}, {id: c, values: {x: steps.b.outputs.x}}":
            "a:passed b:passed c:failed",
        "{id: a, forEach: {in: [1, 2, 3], as: n, concurrency: 1}, get: /a}, {id: z, values: {x: \"length(steps.a.items)\", y: \"steps.a.items[0].data[0]\"}}":
            "a:failed z:skipped",
        "{id: a, get: /a, paginate: {page: {query: n}, while: \"length($) > 0\"}}, {id: z, values: {x: \"length(steps.a.data)\"}}":
            "a:failed z:skipped",
        // What an element keeps for the steps inside it is released with the element.
        "{id: e, forEach: {in: [1, 2, 3, 4], as: n, concurrency: 1}, chain: [{id: a, get: /a}, {id: b, get: \"/b/${length(steps.a.data)}\"}]}":
            "e:passed",
    ]

    @Test(arguments: kept.keys.sorted())
    func `results that later steps use stay within the memory of the run`(steps: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [\(steps)]}}\n",
            answering: { $0.url.contains("/a") ? Self.list(2000, $0.url) : nil }
        )
        let outcome = await fixture.run(memory: RunMemory(limit: 5_000_000))
        #expect(outcome.summary == Self.kept[steps])
        if let failure = outcome.result.steps.first(where: { $0.outcome == .failed })?.failure {
            #expect(failure.kind == .output)
            #expect(failure.message.string == Self.full)
        }
    }

    /// The string of two megabytes is kept, so there is room for two bodies, and one for each kind of waiting may exceed the
    /// limit. With one permit, requests that are built before they have it must not keep the others from being built.
    @Test(arguments: [("", 16, 3), (", duplicates: discard", 16, 4), (", duplicates: discard", 1, 1)])
    func `large bodies of requests wait for memory, and all are sent`(setting: String, permits: Int, most: Int)
        async throws
    {
        let fixture = try ExecutionFixture(
            """
            defaults: {concurrency: \(permits)}
            graphs:
              main:
                chain:
                  - {id: a, get: /a}
                  - batch:
                      - forEach: {in: "range(8)", as: n, concurrency: 8}
                        id: b
                        post: "/b/${n}"
                        body: {text: "${n}${steps.a.data}"}\(setting.replacing(", ", with: "\n            "))
                      - forEach: {in: "range(8)", as: n, concurrency: 8}
                        id: c
                        post: "/c/${n}"
                        body: {text: "${n}${steps.a.data}"}
            """,
            ["/a": .json("\"\(String(repeating: "x", count: 2_000_000))\"")],
            answering: { _ in .late(.json("{}"), turns: 500) }
        )
        let outcome = await fixture.run(memory: RunMemory(limit: 7_000_000))
        #expect(outcome.summary == "a:passed b:passed c:passed")
        #expect((1...most).contains(fixture.transport.mostUnderWay))
    }

    @Test func `a body that takes more than all memory is not sent`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a}, {id: b, post: /b, body: {text: \"${steps.a.data}${steps.a.data}\"}}]}}\n",
            ["/a": .json("\"\(String(repeating: "x", count: 2_000_000))\"")]
        )
        let outcome = await fixture.run(memory: RunMemory(limit: 3_000_000))
        #expect(outcome.summary == "a:passed b:failed")
        #expect(fixture.transport.paths == ["/a"])
    }

    /// A server sends a body, for which other responses of the run leave no room.
    @Test(arguments: ["deadline: 3s", ""])
    func `the wait of a response for memory is ended by its deadline and by cancelling, not by its timeout`(key: String)
        async throws
    {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3000000\r\n\r\n")
            connection.write(String(repeating: "x", count: 3_000_000))
        }
        defer { server.stop() }
        let memory = RunMemory(limit: 1)
        let other = RunMemory.Share(of: memory)
        await other.grow(to: 2)
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, timeout: 2s\(key.isEmpty ? "" : ", \(key)")}]}}\n",
            at: server.url("")
        )
        let transport = try CurlTransport(memory: memory)
        let running = Task { await fixture.run(over: transport, memory: memory) }
        await until { !server.requests.isEmpty }
        // Longer than the timeout, which would end the request.
        try await Task.sleep(for: .milliseconds(2500))
        if key.isEmpty { running.cancel() }
        let failure = await running.value.result.steps.first?.failure
        #expect(
            failure?.message.string == (key.isEmpty ? "the request was cancelled" : "the deadline of 3s has passed")
        )
        await transport.shutDown()
        withExtendedLifetime(other) {}
    }

    @Test func `a body under a mebibyte waits for memory before it is decoded`() async throws {
        let memory = RunMemory(limit: 1)
        let other = RunMemory.Share(of: memory)
        await other.grow(to: 2)
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, deadline: 200ms}]}}\n",
            ["/a": Self.list(200)]
        )
        #expect(await fixture.run(memory: memory).summary == "a:failed")
        other.stopGrowing()
        let again = try ExecutionFixture("graphs: {main: {chain: [{id: a, get: /a}]}}\n", ["/a": Self.list(200)])
        #expect(await again.run(memory: memory).summary == "a:passed")
    }
}
