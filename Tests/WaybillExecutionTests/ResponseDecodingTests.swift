import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillTransport

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct ResponseDecodingTests {
    /// Runs a step with a response of this type.
    private func run(_ body: String, type: String, decoding: String) async throws -> Executor.Outcome {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /a, decoding: \(decoding), outputs: {x: $}}]
                outputs: {x: steps.a.outputs.x}

            """,
            ["/a": .text(body, type: type)]
        )
        return await fixture.run()
    }

    /// Bodies of more than 64 KiB, after which decoders ask whether to continue, with their content types.
    private static let large = [
        ("application/json", "[" + String(repeating: "1,", count: 40_000) + "1]"),
        ("application/x-ndjson", String(repeating: "1\n", count: 40_000)),
        ("application/x-ndjson", String(repeating: "\n", count: 80_000)),
        ("application/x-ndjson; charset=windows-1252", String(repeating: "1\n", count: 40_000)),
        ("text/plain; charset=koi8-r", String(repeating: "1\n", count: 40_000)),
        ("text/csv", "a\n" + String(repeating: "1\n", count: 40_000)),
        ("text/csv", "a\n" + String(repeating: "\n", count: 80_000)),
        (
            "application/x-plist",
            "<plist version=\"1.0\"><array>" + String(repeating: "<true/>", count: 12_000) + "</array></plist>"
        ),
        (
            "application/x-plist",
            "<plist version=\"1.0\"><string>" + String(repeating: "&lt;", count: 20_000) + "</string></plist>"
        ),
        (
            "application/x-plist",
            "<plist version=\"1.0\"><!--" + String(repeating: " ", count: 80_000) + "--><true/></plist>"
        ),
    ]

    @Test(arguments: large)
    func `decoding stops when the time of the step has passed`(type: String, body: String) async {
        let response = HTTPResponse(
            status: 200,
            headers: [HTTPField(name: "Content-Type", value: type)],
            body: Array(body.utf8),
            url: "http://s/"
        )
        let decoder = ResponseDecoder(decoding: .auto)
        #expect((try? decoder.decode(response)) != nil)
        #expect(await WorkLimit.limited({ true }) { (try? decoder.decode(response)) == nil })
    }

    @Test func `an empty body has a digest, if bytes are requested`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, decoding: bytes, outputs: {x: sha256($)}}], outputs: {x: steps.a.outputs.x}}}",
            ["/a": .bytes([], type: "application/octet-stream")]
        )
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(await fixture.run().outputs.first?.values.value["x"] == .string(digest))
    }

    @Test(arguments: ["outputs: {x: $.a}", "expect: {body: [$.a == 1]}"])
    func `a failure names the content type of JSON that was not decoded`(settings: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, \(settings)}]}}",
            ["/a": .text(#"{"a": 1}"#, type: "text/plain")]
        )
        let message = try #require(await fixture.run().result.steps.first?.failure?.message.string)
        #expect(message.hasSuffix("(the content type is 'text/plain'; 'decoding: json' decodes the response)"))
    }

    private static let list = "<plist version=\"1.0\"><dict><key>a</key><integer>1</integer></dict></plist>"

    @Test(arguments: [
        ("{\"a\": 1}\n\n[2]", "application/x-ndjson", "auto", #"[{"a": 1}, [2]]"#),
        ("1\r\n2\r\n", "text/plain", "ndjson", "[1, 2]"),
        ("a,b\r\n1,\"x,\"\"y\"\"\"\r\n", "text/csv; charset=utf-8", "auto", #"[{"a": "1", "b": "x,\"y\""}]"#),
        ("a\n", "application/octet-stream", "csv", "[]"), ("", "application/csv", "csv", "[]"),
        ("", "application/jsonlines", "ndjson", "[]"),
        ("<DATE>,\"{\"\n", "text/plain", "csv", "[]"),
        ("", "text/csv", "auto", "[]"),
        ("", "application/x-ndjson", "auto", "[]"), ("", "text/plain", "text", "null"),
        (list, "application/x-plist", "auto", #"{"a": 1}"#),
        (list, "application/xml", "plist", #"{"a": 1}"#),
        (
            list, "application/xml", "auto",
            "\"<plist version=\\\"1.0\\\"><dict><key>a</key><integer>1</integer></dict></plist>\""
        ),
        ("{\"a\": 1}", "application/problem+json", "auto", #"{"a": 1}"#),
        ("{\"a\": 1}", "application/json", "bytes", #""eyJhIjogMX0=""#),
    ])
    func `a response is decoded as requested, or by its content type`(
        body: String,
        type: String,
        decoding: String,
        result: String
    ) async throws {
        let outcome = try await run(body, type: type, decoding: decoding)
        let failure = outcome.result.steps.first?.failure?.message.string ?? "no outputs"
        let values = try #require(outcome.outputs.first?.values.value, "\(failure)")
        #expect(values["x"]?.bytesAsBase64 == (try JSONParser().parse(Array(result.utf8))))
    }

    @Test(arguments: [
        ("1\n\n{", "application/x-ndjson", "line 3 of the response is not JSON: "),
        ("1\n\0\0\n2", "application/x-ndjson", "line 2 of the response is not JSON: "),
        ("1\n \t\r\n\u{0B}", "application/x-ndjson", "line 3 of the response is not JSON: "),
        ("\u{0C}\n1", "application/x-ndjson", "line 1 of the response is not JSON: "),
        (
            "a,b\n1\n", "text/csv",
            "the response is not CSV: the row has 1 field, but the header has 2 names (line 2, column 1)"
        ),
        ("<plist>", "application/x-plist", "the response is not a property list: "),
        ("1\n2\n", "text/csv; header=absent", "the response is CSV without a header (header=absent)"),
        (
            "Maintenance", "csv Text/HTML; charset=utf-8",
            "the response is not CSV: its content type is 'Text/HTML; charset=utf-8'"
        ),
        (
            "a\n1\n", "csv application/xhtml+xml",
            "the response is not CSV: its content type is 'application/xhtml+xml'; "
        ),
        (
            "{}", "csv application/problem+json",
            "the response is not CSV: its content type is 'application/problem+json'"
        ),
        (
            "{}", "html application/json",
            "the response is not HTML: its content type is 'application/json'; 'decoding: text'"
        ),
        (
            "\n <!DOCTYPE HTML>\n<p>", "csv text/plain",
            "the response is not CSV: expected the names of the columns, found a page"
        ),
        ("[1,2]", "csv application/octet-stream", "the response is not CSV: it is JSON"),
    ])
    func `a response that does not match its content type is refused with a message`(
        body: String,
        type: String,
        words: String
    )
        async throws
    {
        let parts =
            type.contains("; header") ? ["auto", type] : type.split(separator: " ", maxSplits: 1).map(String.init)
        let decoding = parts.count == 2 ? parts[0] : "auto"
        let failure = try await run(body, type: parts.last ?? type, decoding: decoding).result.steps.first?.failure
        #expect(failure?.kind == .decode)
        #expect(failure?.message.string.hasPrefix(words) == true, "\(failure?.message.string ?? "it passed")")
    }
}
