import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillResults

@testable import WaybillExecution
@testable import WaybillTransport

/// The messages that a manifest defines for failures.
@Suite(.timeLimit(.minutes(5))) struct MessagesTests {
    /// The failure of a request with these settings.
    private func failure(_ settings: String, _ reply: ScriptedTransport.Reply) async throws -> Failure {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, \(settings)}]}}",
            ["/a": reply]
        )
        return try #require(await fixture.run().result.steps.first?.failure)
    }

    private static let texts = "messages: {general: It failed, unreachable: No network, duplicate: Too often}"

    @Test(
        arguments: [
            ("", .json("{}", status: 500), "It failed (500)", "the status is 500, not 2xx"),
            ("", .text("{", type: "application/json"), "It failed", "the response is not JSON"),
            ("accept: [text/*]", .json("{}"), "It failed", "the content type is"),
            (
                "filters: [{require: {that: $.ok, code: $.code}}]", .json(#"{"ok": false, "code": 7}"#),
                "It failed (7)", ""
            ),
            ("outputs: {x: $.x}", .json("{}"), "It failed", "output 'x': nothing matches $.x"),
            ("expect: {body: [$.a == 1]}", .json(#"{"a": 2}"#), "It failed", "'$.a == 1' is false"),
            ("returns: {object: {type: object, required: [a]}}", .json("{}"), "It failed", ""),
            ("query: {x: \"${first(range(0, 0))}\"}", .json("{}"), "It failed", ""),
            ("", .failure(.timeout), "It failed", "the transport failed: timeout"),
            ("", .failure(.connect), "No network", "the transport failed: connect"),
            ("", .failure(.dns), "No network", "the transport failed: dns"),
        ] as [(String, ScriptedTransport.Reply, String, String)]
    )
    func `every failure has the message for its kind, and the original message is kept`(
        settings: String,
        reply: ScriptedTransport.Reply,
        text: String,
        happened: String
    ) async throws {
        let failure = try await failure("\(settings.isEmpty ? "" : settings + ", ")\(Self.texts)", reply)
        #expect(failure.message.string == text)
        #expect(failure.details.first?.message.string.hasPrefix(happened) == true, "\(failure.details)")
        #expect(failure.details.count == 1)
    }

    @Test(arguments: [ScriptedTransport.Reply.failure(.connect), .failure(.dns)])
    func `the general message is used for kinds of failures without their own message`(reply: ScriptedTransport.Reply)
        async throws
    {
        #expect(try await failure("messages: {general: It failed}", reply).message.string == "It failed")
        // A message for another kind does not apply.
        let other = try await failure("messages: {duplicate: Too often}", reply)
        #expect(other.message.string.hasPrefix("the transport failed"))
    }

    @Test(
        arguments: [
            ("$.why", "the door is closed"), ("not signed", "not signed"), ("closed", "closed"),
            ("'closed'", "closed"), ("door ${$.id} is closed", "door 7 is closed"), ("${$.why}", "the door is closed"),
            ("$.other", "'$.ok' is false"),
        ]
    )
    func `the message of 'require' is the server's or the manifest's`(message: String, text: String) async throws {
        let body = #"{"ok": false, "why": "the door is closed", "id": 7}"#
        let settings = "filters: [{require: {that: $.ok, message: \"\(message)\"}}]"
        #expect(try await failure(settings, .json(body)).message.string == text)
    }

    @Test func `a connection that is not established in time is a failure to connect`() {
        let phases: [TransportFailure.Phase] = [.connecting, .securing, .awaitingResponse]
        let kinds = phases.map { FailureKind(TransportFailure(kind: .timeout, phase: $0, code: 28, message: "")) }
        #expect(kinds == [.connect, .timeout, .timeout])
    }

    @Test func `several failed expectations are kept after the message`() async throws {
        let failure = try await failure(
            "expect: {body: [$.a == 1, $.a == 3]}, messages: {general: It failed}",
            .json(#"{"a": 2}"#)
        )
        #expect(failure.message.string == "It failed")
        #expect(failure.details.count == 3)
        #expect(failure.details.first?.message.string == "2 expectations failed")
    }

    @Test(
        arguments: [
            ("", .json(#"{"message": "no"}"#, status: 404), "404", "the status is not 2xx: no", true),
            (
                "filters: [{envelope: {code: $.code, message: $.msg}}]", .json(#"{"code": 7, "msg": "locked"}"#),
                "7", "locked", true
            ),
            (
                "filters: [{envelope: {code: $.code}}]", .json(#"{"code": 7}"#), "7",
                "the code of the response is not accepted", false
            ),
        ] as [(String, ScriptedTransport.Reply, String, String, Bool)]
    )
    func `without showCode, no message contains the code, but the results keep it`(
        settings: String,
        reply: ScriptedTransport.Reply,
        code: String,
        message: String,
        isSpecific: Bool
    ) async throws {
        let settings = settings.isEmpty ? "" : settings + ", "
        let plain = try await failure("\(settings)messages: {showCode: false}", reply)
        #expect(plain.message.string == message)
        #expect(plain.serverCode?.text.string == code)
        let worded = try await failure("\(settings)messages: {general: It failed, showCode: false}", reply)
        // The general message does not replace the server's own.
        #expect(worded.message.string == (isSpecific ? message : "It failed"))
        #expect(worded.details.map(\.message.string) == (isSpecific ? [] : [message]))
        #expect(worded.serverCode?.text.string == code)
    }
}
