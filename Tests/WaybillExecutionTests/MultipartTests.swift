import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillRuntime
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct MultipartTests {
    private func request(_ step: String) async throws -> HTTPRequest {
        let fixture = try ExecutionFixture("graphs:\n  main:\n    chain:\n      - \(step)\n")
        let outcome = await fixture.run()
        let failure = outcome.result.steps.first?.failure
        return try #require(fixture.transport.sent.first, "\(failure?.message.string ?? "nothing was sent")")
    }

    @Test func `parts are sent with their headers, and files are passed on by path`() async throws {
        let request = try await request(
            """
            {post: /a, params: {z: 1.10}, body: {multipart: [{name: "a\\"b", value: 001}, {name: f, file: dir/x.bin},
            {name: t, text: hü, filename: t.txt, headers: {X-P: "1"}}, {base64: aMO8}, {name: j, json: {n: "${1 + 1}"}}]}}
            """.replacing("\n", with: " ")
        )
        let type = try #require(request.headers.first { $0.name == "Content-Type" }?.value)
        let boundary = try #require(type.split(separator: "=").last.map(String.init))
        #expect(type == "multipart/form-data; boundary=\(boundary)")
        guard case .parts(let parts) = request.body, parts.count == 3, case .bytes(let first) = parts[0],
            case .file(let path) = parts[1], case .bytes(let last) = parts[2]
        else {
            Issue.record("the body is bytes, a file, and bytes: \(request.body)")
            return
        }
        let head = "\r\nContent-Disposition: form-data"
        #expect(path.path.hasSuffix("/dir/x.bin"))
        #expect(
            String(decoding: first, as: UTF8.self)
                == """
                --\(boundary)\(head); name="z"\r\n\r\n1.10\r\n\
                --\(boundary)\(head); name="a%22b"\r\n\r\n001\r\n\
                --\(boundary)\(head); name="f"; filename="x.bin"\r\nContent-Type: application/octet-stream\r\n\r\n\

                """
        )
        #expect(
            String(decoding: last, as: UTF8.self) == """
                \r\n--\(boundary)\(head); name="t"; filename="t.txt"\r\nContent-Type: text/plain; charset=utf-8\r\nX-P: 1\
                \r\n\r\nhü\r\n\
                --\(boundary)\(head)\r\nContent-Type: application/octet-stream\r\n\r\nhü\r\n\
                --\(boundary)\(head); name="j"\r\nContent-Type: application/json\r\n\r\n{"n":2}\r\n\
                --\(boundary)--\r\n
                """
        )
    }

    @Test(arguments: [
        ("{name: f, file: dir/table.csv}", "text/csv"),
        ("{name: f, file: dir/PHOTO.JPEG}", "image/jpeg"),
        ("{name: f, file: \"${'a'}.tar.gz\"}", "application/gzip"),
        ("{name: f, file: dir/part, filename: page.html}", "text/html"),
        ("{name: f, file: table.csv, contentType: text/plain}", "text/plain"),
        ("{name: f, file: dir.d/x}", "application/octet-stream"),
        ("{name: f, file: x.unknown}", "application/octet-stream"),
    ])
    func `a file part has the media type of its file extension`(part: String, type: String) async throws {
        let request = try await request("{post: /a, body: {multipart: [\(part)]}}")
        guard case .parts(let parts) = request.body, case .bytes(let head)? = parts.first else {
            Issue.record("the body begins with the head of the part: \(request.body)")
            return
        }
        #expect(String(decoding: head, as: UTF8.self).contains("\r\nContent-Type: \(type)\r\n"))
    }

    @Test(arguments: [
        ("{put: /a, body: {file: dir/PHOTO.JPEG}}", "image/jpeg"),
        ("{put: /a, body: {file: x.unknown}}", "application/octet-stream"),
        ("{put: /a, headers: {Content-Type: a/b}, body: {file: x.csv}}", "a/b"),
    ])
    func `a file as the body has the media type of its extension, unless the manifest sets another one`(
        step: String,
        type: String
    ) async throws {
        #expect(try await request(step).headers.filter { $0.isNamed("Content-Type") }.map(\.value) == [type])
    }

    @Test func `a file can be the body, but expressions cannot read its bytes`() async throws {
        let request = try await request("{put: /a, body: {file: dir/x.bin}}")
        guard case .file(let path) = request.body else {
            Issue.record("the body is a file")
            return
        }
        #expect(path.path.hasSuffix("/dir/x.bin"))
        let signed = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, put: /a, body: {file: x}, headers: {X: \"${sha256(request.body)}\"}}]}}"
        )
        let failure = await signed.run().result.steps.first?.failure
        #expect(failure?.kind == .input)
        #expect(
            failure?.message.string.contains("read only when it is sent") == true,
            "\(failure?.message.string ?? "")"
        )
    }

    @Test func `a line break in the header of a part is refused`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, post: /a, body: {multipart: [{value: x, contentType: \"${'a\\\\nb'}\"}]}}]}}"
        )
        let failure = await fixture.run().result.steps.first?.failure
        #expect(failure?.kind == .input)
        #expect(fixture.transport.sent.isEmpty)
    }
}
