import Testing
import WaybillExecution
import WaybillPlatform
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// Runs that are resumed after a system crash that lost bytes of their files that were not yet on the disk.
@Suite(.timeLimit(.minutes(5))) struct LostBytesTests {
    private let folder = TemporaryFolder()

    private func each(_ method: String = "get", answering word: String = "x") throws -> ExecutionFixture {
        try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: each
                    forEach: {in: "range(0, 6)", as: n, concurrency: 1}
                    \(method): "/${n}"
                    write: {to: a.ndjson}
            """
        ) { request in .json("\"\(word)\(request.url.last!)\"") }
    }

    private func pages() throws -> ExecutionFixture {
        try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: all, get: /0, paginate: {next: $.next, items: $.rows}, write: {to: a.ndjson}}
            """
        ) { request in
            let page = Int(String(request.url.last!))!
            return .json("{\"rows\": [\(page), \(page)], \"next\": \(page < 4 ? "\"/\(page + 1)\"" : "null")}")
        }
    }

    /// Resumes the run in the folder.
    private func resume(_ fixture: ExecutionFixture, repeatsUnsure: Bool = false) async throws -> Executor.Outcome {
        let earlier = try RunRecord(folder: folder.path)
        let run = try RunFolder.reopen(folder.path, after: earlier)
        let outcome = await fixture.run(
            events: EventStream(journal: run.journal, after: earlier.lastNumber),
            folder: run,
            earlierRun: earlier,
            repeatsUnsure: repeatsUnsure
        )
        try await run.journal.finish()
        return outcome
    }

    /// Cuts the journal after its last line that contains this string, and the file after this many bytes.
    ///
    /// - Parameter zeros: Whether zeros replace what is lost of the file, as on file systems that store its length first.
    private func lose(after text: String, keeping bytes: Int, zeros: Bool = false) throws {
        let lines = try #require(folder.read("events.ndjson")).split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.contains(text) })
        folder.write(lines[...last].joined(separator: "\n") + "\n", to: "events.ndjson")
        let file = try #require(TemporaryFolder.contents(of: "\(folder.path)/a.ndjson"))
        let rest = [UInt8](repeating: 0, count: zeros ? max(0, file.count - bytes) : 0)
        folder.write(file.prefix(bytes) + rest, to: "a.ndjson.part")
        unlink("\(folder.path)/a.ndjson")
    }

    private static let whole = (0..<6).map { "\"x\($0)\"\n" }.joined()

    @Test(arguments: [(0, 0), (4, 0), (5, 1), (14, 2), (25, 5), (29, 5), (30, 6)], [false, true])
    func `elements whose records were lost are run again`(_ loss: (bytes: Int, left: Int), zeros: Bool) async throws {
        let (bytes, left) = loss
        _ = try await each().run(into: folder)
        #expect(folder.read("a.ndjson") == Self.whole)
        try lose(after: "element.finished", keeping: bytes, zeros: zeros)
        let again = try each()
        #expect(try await resume(again).summary == "each:passed")
        #expect(again.transport.paths == (left..<6).map { "/\($0)" })
        #expect(folder.read("a.ndjson") == Self.whole)
    }

    @Test func `records lost twice are detected from the journal entries of the second run`() async throws {
        _ = try await each().run(into: folder)
        // Two records are left.
        try lose(after: "element.finished", keeping: 12)
        #expect(try await resume(each(answering: "longer-")).summary == "each:passed")
        // The third record has 11 bytes now. With 6 bytes of the fourth, the file is longer than its first four were.
        try lose(after: "\"element\":4", keeping: 27)
        let last = try each()
        #expect(try await resume(last).summary == "each:passed")
        #expect(last.transport.paths == ["/3", "/4", "/5"])
        #expect(folder.read("a.ndjson") == "\"x0\"\n\"x1\"\n\"longer-2\"\n\"x3\"\n\"x4\"\n\"x5\"\n")
    }

    @Test func `lost records are still known if the resumed run is killed before it repeats any`() async throws {
        _ = try await each().run(into: folder)
        try lose(after: "element.finished", keeping: 12)
        #expect(try await resume(each(answering: "longer-")).summary == "each:passed")
        // The journal has no element that was run again, although the file has the bytes of all elements.
        try lose(after: "write.cut", keeping: 1_000)
        let last = try each()
        #expect(try await resume(last).summary == "each:passed")
        #expect(last.transport.paths == ["/2", "/3", "/4", "/5"])
        #expect(folder.read("a.ndjson") == Self.whole)
    }

    @Test func `requests that must not be sent twice are sent again only with --repeat-unsure`() async throws {
        _ = try await each("post").run(into: folder)
        try lose(after: "element.finished", keeping: 14)
        let refused = try each("post")
        let outcome = try await resume(refused)
        #expect(outcome.summary == "each:failed")
        #expect(
            outcome.result.steps[0].failure?.message.string
                == "'a.ndjson.part' is shorter than recorded in the journal or has other content, and the requests for the "
                + "missing records were already sent; --repeat-unsure sends them again"
        )
        #expect(refused.transport.paths == [])
        let repeated = try each("post")
        #expect(try await resume(repeated, repeatsUnsure: true).summary == "each:passed")
        #expect(repeated.transport.paths == ["/2", "/3", "/4", "/5"])
        #expect(folder.read("a.ndjson") == Self.whole)
    }

    @Test(arguments: [(0, 0), (3, 0), (4, 1), (11, 2), (15, 3), (16, 4)], [false, true])
    func `pages whose records were lost are requested again`(_ loss: (bytes: Int, left: Int), zeros: Bool) async throws
    {
        let (bytes, left) = loss
        _ = try await pages().run(into: folder)
        #expect(folder.read("a.ndjson") == "0\n0\n1\n1\n2\n2\n3\n3\n4\n4\n")
        try lose(after: "\"page\":4", keeping: bytes, zeros: zeros)
        let again = try pages()
        #expect(try await resume(again).summary == "all:passed")
        #expect(again.transport.paths == (left..<5).map { "/\($0)" })
        #expect(folder.read("a.ndjson") == "0\n0\n1\n1\n2\n2\n3\n3\n4\n4\n")
    }
}
