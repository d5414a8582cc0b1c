import Testing
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

/// Responses with `decoding: bytes`, and their use in expressions, bodies, files and resumed runs.
@Suite(.timeLimit(.minutes(5))) struct BytesTests {
    private let folder = TemporaryFolder()

    /// Six bytes that are not UTF-8; "iVBORwD/" in Base64.
    private static let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x00, 0xFF]
    private static let replies: [String: ScriptedTransport.Reply] = ["/image": .bytes(image, type: "image/png")]

    private func fixture(_ steps: String) throws -> ExecutionFixture {
        try ExecutionFixture("graphs: {main: {chain: [\(steps)]}}\n", Self.replies)
    }

    /// The outputs of a step that fetches the image.
    private func output(_ expression: String, filters: String = "[]") async throws -> String? {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /image, decoding: bytes, filters: \(filters), outputs: {x: "\(expression)"}}]
                outputs: {x: steps.a.outputs.x}

            """,
            Self.replies
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:passed")
        return outcome.outputs.first.map { JSONWriter().string($0.values.value) }
    }

    @Test(
        arguments: [
            ("sha256($)", "\"ffdb519b788f33bddc8647611c3a24cc5e1a9ef5780c1f6f828a637c309ad8f1\""),
            ("hmac('k', $, 'base64')", "\"8LeH+GDQwMreipMTaQRc1KcF7LkpGIT2xdJKsLl7KWo=\""), ("length($)", "6"),
            ("base64($)", "\"iVBORwD/\""), ("$", "\"iVBORwD/\""), ("$ == 'iVBORwD/'", "false"), ("$ == $", "true"),
        ]
    )
    func `functions use the bytes, and JSON contains them as Base64`(expression: String, result: String) async throws {
        #expect(try await output(expression) == "{\"x\":\(result)}")
    }

    @Test func `bytes stay bytes inside an object or a list`() async throws {
        let filters = "[{map: {x: \"${$}\", l: [\"${$}\"]}}]"
        #expect(try await output("length($.x) + length($.l[0])", filters: filters) == "{\"x\":12}")
        #expect(try await output("$.l", filters: filters) == "{\"x\":[\"iVBORwD/\"]}")
    }

    @Test(
        arguments: [
            (
                "json: {x: \"${steps.a.data}\", l: [\"${steps.a.data}\"]}",
                Array(#"{"x":"iVBORwD/","l":["iVBORwD/"]}"#.utf8)
            ),
            ("text: \"${steps.a.data}\"", image), ("base64: \"${steps.a.data}\"", image),
            ("base64: \"${base64(steps.a.data)}\"", image),
        ]
    )
    func `a body contains the bytes, and a JSON body contains them as Base64`(body: String, sent: [UInt8]) async throws
    {
        let fixture = try fixture("{id: a, get: /image, decoding: bytes}, {id: b, post: /b, body: {\(body)}}")
        #expect(await fixture.run().summary == "a:passed b:passed")
        guard case .bytes(let bytes)? = fixture.transport.sent.last?.body else {
            Issue.record("the request has no body")
            return
        }
        #expect(bytes == sent)
    }

    @Test func `a part of a multipart body contains the bytes`() async throws {
        let fixture = try fixture(
            "{id: a, get: /image}, {id: b, post: /b, body: {multipart: [{name: f, value: \"${steps.a.data}\"}]}}"
        )
        #expect(await fixture.run().summary == "a:passed b:passed")
        guard case .parts(let parts)? = fixture.transport.sent.last?.body, case .bytes(let bytes)? = parts.first
        else {
            Issue.record("the request has no parts")
            return
        }
        #expect(bytes.split(separator: 0x0A).contains { $0.starts(with: Self.image) })
    }

    @Test(
        arguments: [
            ("{id: b, get: \"/b?x=a${steps.a.data}\"}", "found bytes"),
            ("{id: b, get: /b, headers: {X: \"${steps.a.data}\"}}", "found bytes"),
            ("{id: b, post: /b, body: {text: \"a${steps.a.data}\"}}", "found bytes"),
            ("{id: b, post: /b, params: {x: \"${steps.a.data}\"}}", "the parameter 'x' cannot be bytes"),
        ]
    )
    func `bytes are not converted to a string implicitly`(step: String, message: String) async throws {
        let outcome = await (try fixture("{id: a, get: /image, decoding: bytes}, \(step)")).run()
        let failure = try #require(outcome.result.steps.last?.failure)
        #expect(failure.message.string.contains(message), "\(failure.message)")
        #expect(failure.message.string.contains("base64(x)"))
    }

    @Test(
        arguments: [
            ("to: a.bin", image), ("to: a.bin, records: $", image), ("to: a.ndjson", Array("\"iVBORwD/\"\n".utf8)),
            ("to: a.csv", Array("value\r\niVBORwD/\r\n".utf8)),
        ]
    )
    func `write stores bytes unchanged in raw files and as Base64 in other formats`(write: String, content: [UInt8])
        async throws
    {
        let (outcome, _) = try await (try fixture("{id: a, get: /image, decoding: bytes, write: {\(write)}}")).run(
            into: folder
        )
        #expect(outcome.summary == "a:passed")
        let name = String(write.dropFirst(4).prefix { $0 != "," })
        #expect(TemporaryFolder.contents(of: "\(folder.path)/\(name)") == content)
    }

    @Test func `a schema treats bytes as a string`() async throws {
        let fixture = try ExecutionFixture(
            "endpoints: {e: {path: /image, expect: {schema: {type: string}}}}\ngraphs: {main: {chain: [{call: e}]}}\n",
            Self.replies
        )
        #expect(await fixture.run().summary == "e:passed")
    }

    @Test func `a resumed run restores the bytes of earlier steps`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: a, get: /image, decoding: bytes}
                  - {id: each, forEach: {in: [1, 2], as: n}, get: /image, decoding: bytes}
                  - {id: mark, get: /mark}
                  - {id: b, get: /b, expect: {status: 201}}
                  - id: c
                    values:
                      digest: sha256(steps.a.data)
                      count: length(steps.each.items[0].data)
                      mark: steps.mark.data
                outputs: {digest: steps.c.outputs.digest, count: steps.c.outputs.count, mark: steps.c.outputs.mark}

            """
        let mark = ScriptedTransport.Reply.json(#"{"$bytes": "AAAA"}"#)
        let broken = try ExecutionFixture(text, Self.replies.merging(["/mark": mark]) { $1 })
        let (outcome, _) = try await broken.run(into: folder)
        #expect(outcome.summary == "a:passed each:passed mark:passed b:failed c:skipped")

        let healed = try ExecutionFixture(text, ["/b": .json("{}", status: 201)])
        let earlier = try RunRecord(folder: folder.path)
        let run = try RunFolder.reopen(folder.path, after: earlier)
        let events = EventStream(journal: run.journal, after: earlier.lastNumber)
        let resumed = await healed.run(events: events, folder: run, earlierRun: earlier)
        try await run.journal.finish()
        #expect(healed.transport.paths == ["/b"])
        #expect(
            resumed.outputs.map(\.values.value) == [
                [
                    "digest": "ffdb519b788f33bddc8647611c3a24cc5e1a9ef5780c1f6f828a637c309ad8f1", "count": 6,
                    "mark": ["$bytes": "AAAA"],
                ]
            ]
        )
    }

    @Test func `a secret within bytes is redacted`() {
        let redactor = Redactor()
        redactor.register("hunter2")
        let bytes = [0xFF] + Array("x hunter2".utf8)
        #expect(redactor.redact(.bytes(bytes)) == .bytes([0xFF] + Array("x ***".utf8)))
    }
}
