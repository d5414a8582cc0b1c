import Testing
import WaybillResults
import WaybillTransport

@testable import WaybillExecution

@Suite struct TraceContextTests {
    private static let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func context(_ variables: [String: String], run: String = "20261121-052703-k3v9qa") throws -> TraceContext {
        TraceContext(of: try #require(RunID(run)), variables: variables)
    }

    @Test func `a traceparent is read and written`() throws {
        let parent = try #require(TraceParent(Self.valid))
        #expect(parent.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(parent.span.description == "00f067aa0ba902b7")
        #expect(parent.isSampled)
        #expect(parent.description == Self.valid)
    }

    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", false),
        // Other flags are not known, and are not passed on.
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03", true),
        // A later version may have more parts.
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
        ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future", true),
    ])
    func `the flags of other values are read`(text: String, isSampled: Bool) throws {
        let parent = try #require(TraceParent(text))
        #expect(parent.isSampled == isSampled)
        #expect(parent.description == Self.valid.dropLast(2) + (isSampled ? "01" : "00"))
    }

    @Test(arguments: [
        "", "00", "-", "00-0-0-0",
        // The version is forbidden.
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        // An id is zero.
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        // Upper case, and other characters.
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        // Too short, too long, other separators, white space.
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
    ])
    func `an invalid traceparent starts no trace`(text: String) throws {
        #expect(TraceParent(text) == nil)
        #expect(try context(["TRACEPARENT": text]) == context([:]))
    }

    @Test func `a run continues the trace of the environment variables`() throws {
        let context = try context(["TRACEPARENT": Self.valid, "TRACESTATE": "vendor=1,other=2"])
        #expect(context.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.parent?.description == "00f067aa0ba902b7")
        let fields = context.fields()
        #expect(fields.map(\.name) == ["traceparent", "tracestate"])
        let parent = try #require(TraceParent(fields[0].value))
        #expect(parent.trace == context.trace)
        #expect(parent.span != context.parent)
        #expect(fields[1].value == "vendor=1,other=2")
    }

    @Test(arguments: ["", "no list", "a=b\r\nX: y", "a=\u{e4}", String(repeating: "a=b,", count: 200)])
    func `a tracestate that cannot be sent is not passed on`(state: String) throws {
        #expect(try context(["TRACEPARENT": Self.valid, "TRACESTATE": state]).fields().count == 1)
    }

    @Test func `a tracestate without a traceparent is not passed on`() throws {
        #expect(try context(["TRACESTATE": "a=b"]).fields().map(\.name) == ["traceparent"])
    }

    @Test func `a trace that is not recorded stays so`() throws {
        let context = try context(["TRACEPARENT": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"])
        #expect(!context.isSampled)
        #expect(context.fields()[0].value.hasSuffix("-00"))
    }

    @Test func `the trace of a run depends on its name only, and each request has a span of its own`() throws {
        let (one, again) = (try context([:]), try context([:]))
        #expect(one.trace == again.trace)
        #expect(try context([:], run: "20261121-052703-k3v9qb").trace != one.trace)
        #expect(one.parent == nil)
        #expect(one.fields()[0].value != again.fields()[0].value)
        #expect(TraceParent(one.fields()[0].value)?.isSampled == true)
    }
}
