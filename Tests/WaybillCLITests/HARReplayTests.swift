import Testing
import WaybillFormats
import WaybillJSON
import WaybillTestSupport

/// The manifest of a recording sends what was recorded.
@Suite(.timeLimit(.minutes(5))) struct HARReplayTests {
    /// A recording as a browser makes it; `BASE` is the address of the server.
    private static let session = #"""
        {"log": {"version": "1.2", "pages": [{"id": "p", "title": "BASE/shop"}], "entries": [
          {"pageref": "p", "startedDateTime": "2026-11-27T10:00:00.000Z",
           "request": {"method": "OPTIONS", "url": "BASE/api/login", "headers": [
             {"name": "Access-Control-Request-Method", "value": "POST"}]}, "response": {"status": 204}},
          {"startedDateTime": "2026-11-27T10:00:01.000Z",
           "request": {"method": "POST", "url": "BASE/api/login", "headers": [
             {"name": ":authority", "value": "shop"}, {"name": "User-Agent", "value": "Mozilla/5.0"},
             {"name": "sec-ch-ua", "value": "x"}, {"name": "Content-Type", "value": "application/json"},
             {"name": "X-Requested-With", "value": "fetch"}, {"name": "Cookie", "value": "device=d-81723645; theme=dark"}],
             "postData": {"mimeType": "application/json", "text": "{\"user\":\"demo\",\"password\":\"tiger-17-x\"}"}},
           "response": {"status": 200, "headers": [
             {"name": "Set-Cookie", "value": "session=s-918273645; Path=/; HttpOnly\ncsrf=c-5647382910"},
             {"name": "Content-Type", "value": "application/json"}],
             "content": {"mimeType": "application/json", "text": "eyJ0b2tlbiI6ICJqd3QtMTIzNDU2Nzg5MCJ9", "encoding": "base64"}}},
          {"startedDateTime": "2026-11-27T10:00:03.000Z",
           "request": {"method": "GET", "url": "BASE/api/orders?state=open&page=2", "headers": [
             {"name": "Accept", "value": "application/json"}, {"name": "Authorization", "value": "Bearer jwt-1234567890"},
             COOKIES]},
           "response": {"status": 200, "content": {"mimeType": "application/json", "text": "{\"orders\": []}"}}},
          {"startedDateTime": "2026-11-27T10:00:02.000Z",
           "request": {"method": "POST", "url": "BASE/cart", "headers": [
             {"name": "content-type", "value": "application/x-www-form-urlencoded"}, COOKIES],
             "postData": {"mimeType": "application/x-www-form-urlencoded", "text": "item=a+book&count=2"}},
           "response": {"status": 302, "headers": [{"name": "Location", "value": "/cart/7"}], "redirectURL": "BASE/cart/7"}},
          {"startedDateTime": "2026-11-27T10:00:02.100Z",
           "request": {"method": "GET", "url": "BASE/cart/7", "headers": [COOKIES]}, "response": {"status": 303, "redirectURL": "/cart/7/done"}},
          {"startedDateTime": "2026-11-27T10:00:02.200Z", "request": {"method": "GET", "url": "BASE/cart/7/done", "headers": [COOKIES]},
           "response": {"status": 200, "content": {"mimeType": "text/plain", "text": "done"}}},
          {"startedDateTime": "2026-11-27T10:00:04.000Z",
           "request": {"method": "PUT", "url": "BASE/photo?size=1%2C2&a+b", "headers": [COOKIES], "postData": {"mimeType": "image/gif",
             "text": "R0lGODdhAQABAIAAAP///////ywAAAAAAQABAAACAkQBADs=", "encoding": "base64"}},
           "response": {"status": 404, "content": {"mimeType": "text/html", "text": "<p>none"}}},
          {"startedDateTime": "2026-11-27T10:00:05.000Z",
           "request": {"method": "POST", "url": "BASE/form", "headers": [
             {"name": "Content-Type", "value": "multipart/form-data; boundary=XX"}, COOKIES], "postData": {
             "mimeType": "multipart/form-data; boundary=XX", "text": "--XX\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\none\r\ntwo\r\n--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nx\r\n--XX--\r\n"}},
           "response": {"status": 201}},
          {"startedDateTime": "2026-11-27T10:00:06.000Z", "request": {"method": "GET", "url": "BASE/gone"}, "response": {"status": 0, "_error": "net::ERR_FAILED"}},
          {"startedDateTime": "2026-11-27T10:00:07.000Z", "request": {"method": "GET", "url": "data:image/png;base64,AAAA"}, "response": {"status": 200}},
          {"startedDateTime": "2026-11-27T10:00:08.000Z", "request": {"method": "GET", "url": "BASE/logo.png", "headers": [
             {"name": "If-None-Match", "value": "\"1\""}, COOKIES]}, "response": {"status": 304}}
        ]}}
        """#.replacing(
            "COOKIES",
            with:
                #"{"name": "Cookie", "value": "device=d-81723645; theme=dark; session=s-918273645; csrf=c-5647382910"}"#
        )

    private static let samples = SampleFolder.named("har") ?? ""
    private static let names = ConformanceSuite.files(in: samples, ending: ".har")

    /// Those with a header field whose name HTTP does not allow.
    private static let malformed = [
        "grafana__har-to-k6__example__blacklisted-headers.har", "grafana__har-to-k6__example__pseudo-headers.har",
    ]

    @Test func `a session is sent as it was recorded, without what the browser adds, and passes on the mock server`()
        async throws
    {
        let (text, losses) = try await Self.replay(Self.session)
        let manifest = text.replacing("\n# ", with: "").replacing("  ", with: " ")
        #expect(
            losses.count == 2 && losses[0].contains("/gone: it failed in the recording (net::ERR_FAILED)")
                && losses[1].contains("data:")
        )
        for secret in ["tiger-17-x", "s-918273645", "c-5647382910", "d-81723645", "jwt-1234567890"] {
            #expect(!manifest.contains(secret), "\(manifest)")
        }
        #expect(
            manifest.contains(
                "# Header fields of the browser that are left out: :authority (1), User-Agent (1), sec-ch-ua (1), If-None-Match (1)"
            )
        )
        #expect(
            manifest.contains("Cookies that responses set, and that a run keeps itself: session (5), csrf (1)"),
            "\(manifest)"
        )
        #expect(manifest.contains("CORS preflights that are left out: 1"))
    }

    @Test(.enabled(if: !names.isEmpty, "the samples of other tools are absent"), arguments: names)
    func `a sample is sent as it was recorded`(_ name: String) async throws {
        let text = String(decoding: try ConformanceSuite.bytes(of: "\(Self.samples)/\(name)"), as: UTF8.self)
        _ = try await Self.replay(
            text.replacing(#/"https?:\/\/[^\/"?]+/#, with: "\"BASE"),
            isMalformed: Self.malformed.contains(name)
        )
    }

    /// Imports a recording, runs its manifest, and compares what it sends. Returns the manifest and the losses.
    private static func replay(_ recording: String, isMalformed: Bool = false) async throws -> (
        manifest: String, losses: [String]
    ) {
        let responses = try JSONParser().parse(recording.utf8)["log"]?["entries"]?.array ?? []
        let server = try LoopbackServer { request in
            let entry = responses.first { RecordedRequest($0).line == "\(request.method) \(request.target)" }?[
                "response"
            ]
            var headers: [(name: String, value: String)] = []
            for field in entry?["headers"]?.array ?? [] where field["name"] == "Set-Cookie" {
                headers += (field["value"]?.string ?? "").split(separator: "\n").map { ("Set-Cookie", String($0)) }
            }
            if let target = entry?["redirectURL"]?.string {
                headers.append(("Location", target.replacing("BASE", with: "")))
            }
            let status = entry?["status"].flatMap { Int(JSONWriter().string($0)) } ?? 200
            return ServerResponse(status: status == 304 ? 200 : status, headers: headers)
        }
        defer { server.stop() }
        let folder = TemporaryFolder()
        let text = recording.replacing("BASE", with: "http://127.0.0.1:\(server.port)")
        let entries = try JSONParser().parse(text.utf8)["log"]?["entries"]?.array ?? []
        folder.write(text, to: "a.har")
        let imported = try await Command.run(
            CommandCase.program,
            ["import", "a.har", "--out", "a.yaml", "--env-file-out", "a.env"],
            in: folder.path
        )
        #expect(imported.status == 0, "\(imported.errorText)")
        let manifest = folder.read("a.yaml") ?? ""
        let run = try await Command.run(CommandCase.program, ["run", "a.yaml", "--env-file", "a.env"], in: folder.path)
        #expect(run.status == 0, "\(run.outputText)\(run.errorText)\(manifest)")
        let mock = try await Command.run(
            CommandCase.program,
            ["run", "a.yaml", "--env-file", "a.env", "--mock"],
            in: folder.path
        )
        #expect(mock.status == 0 || !manifest.contains("mock:"), "\(mock.outputText)\(mock.errorText)\(manifest)")
        let recorded = entries.map { RecordedRequest($0) }.filter(\.isSent).sorted { $0.start < $1.start }
        let sent = server.requests.map { RecordedRequest($0) }
        #expect(sent.map(\.line) == recorded.map(\.line))
        for (sent, recorded) in zip(sent, recorded) {
            #expect(sent.body == recorded.body, "\(recorded.line)")
            if !isMalformed { #expect(sent.fields == recorded.fields, "\(recorded.line)") }
        }
        return (manifest, imported.errorText.split(separator: "\n").map(String.init))
    }
}

/// What matters of a request: without what a browser adds.
private struct RecordedRequest {
    var line: String
    var fields: [String]
    var body: String
    var start = ""
    var isSent = true

    private static let dropped: Set<String> = [
        "user-agent", "host", "content-length", "accept-encoding", "if-none-match",
    ]

    /// Reads an entry of a recording.
    init(_ entry: JSON) {
        let request = entry["request"] ?? .null
        let url = request["url"]?.string ?? ""
        let fields = (request["headers"]?.array ?? []).map { ($0["name"]?.string ?? "", $0["value"]?.string ?? "") }
        var target = url.replacing(#/^(BASE|https?:\/\/[^\/]+)/#, with: "")
        if !target.hasPrefix("/") { target = "/" + target }
        for parameter in request["queryString"]?.array ?? []
        where parameter["name"] != "" && !url.contains("\(parameter["name"]?.string ?? "")=") {
            target +=
                (target.contains("?") ? "&" : "?")
                + "\(parameter["name"]?.string ?? "")=\(parameter["value"]?.string ?? "")"
        }
        let line = "\(request["method"]?.string ?? "") \(target)"
        let data = request["postData"]
        var text = data?["text"]?.string ?? ""
        if data?["encoding"] == "base64" { text = String(decoding: Base64.decode(text) ?? [], as: UTF8.self) }
        let type = data?["mimeType"]?.string ?? ""
        if text.isEmpty, let params = data?["params"]?.array, !params.isEmpty {
            text = params.map { param in
                let (name, value) = (param["name"]?.string ?? "", param["value"]?.string ?? "")
                guard type.hasPrefix("multipart") else { return "\(name)=\(value)" }
                let file =
                    param["fileName"]?.string.map {
                        "; filename=\"\($0)\"\r\nContent-Type: \(param["contentType"]?.string ?? "")"
                    } ?? ""
                return "--XX\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\r\n\(value)\r\n"
            }.joined(separator: type.hasPrefix("multipart") ? "" : "&")
            if type.hasPrefix("multipart") { text += "--XX--\r\n" }
        }
        let isTyped = fields.contains { $0.0.lowercased() == "content-type" }
        self.init(line: line, fields: fields + (isTyped || text.isEmpty ? [] : [("Content-Type", type)]), body: text)
        start = entry["startedDateTime"]?.string ?? ""
        isSent =
            !url.hasPrefix("data:") && entry["response"]?["status"] != 0
            && !fields.contains { $0.0 == "Access-Control-Request-Method" }
    }

    init(_ request: ReceivedRequest) {
        let fields = request.head.replacing("\r\n", with: "\n").split(separator: "\n").dropFirst().map { field in
            let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], String(parts[1].drop { $0 == " " }))
        }
        self.init(
            line: "\(request.method) \(request.target)",
            fields: fields,
            body: String(decoding: request.body, as: UTF8.self)
        )
    }

    private init(line: String, fields: [(String, String)], body: String) {
        self.line = line
        let boundary = fields.first { $0.0.lowercased() == "content-type" }?.1.firstMatch(of: #/boundary=(\S+)/#).map {
            String($0.1)
        }
        let isForm = fields.contains { $0.1 == "application/x-www-form-urlencoded" }
        let decoded = isForm ? PercentEncoding.decoded(body.replacing("+", with: " ")) : nil
        self.body = boundary.map { body.replacing($0, with: "XX") } ?? decoded ?? body
        // A client may send all that a list of cookies has in another order.
        self.fields = fields.map { name, value in
            let value =
                name.lowercased() == "cookie" ? value.split(separator: "; ").sorted().joined(separator: "; ") : value
            return "\(name.lowercased()): \(value.hasPrefix("multipart/form-data") ? "multipart/form-data" : value)"
        }.filter { field in
            let name = String(field.prefix { $0 != ":" })
            return !Self.dropped.contains(name) && !field.hasPrefix(":") && !name.hasPrefix("sec-")
                && field != "accept: */*"
        }.sorted()
    }
}
