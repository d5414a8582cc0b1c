import Testing
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillRuntime

@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct DebugRecordTests {
    private func redactor() -> Redactor {
        let redactor = Redactor()
        redactor.register("hunter2")
        return redactor
    }

    private static let request = HTTPRequest(
        method: "POST",
        url: "http://h/a?key=hunter2",
        headers: [
            HTTPField(name: "authorization", value: "Basic abc"),
            HTTPField(name: "X-Key", value: "hunter2", isSensitive: true),
            HTTPField(name: "Cookie", value: "a=b"), HTTPField(name: "Proxy-Authorization", value: "x"),
        ],
        body: .bytes(Array("pw=hunter2".utf8))
    )

    private static let response = HTTPResponse(
        status: 200,
        reason: "OK",
        headers: HTTPFields([HTTPField(name: "Set-Cookie", value: "s=1"), HTTPField(name: "X", value: "y")]),
        body: Array(#"{"echo": "hunter2"}"#.utf8),
        url: "http://h/a?key=hunter2",
        bytesSent: 10,
        bytesReceived: 20,
        remoteAddress: SocketEndpoint(host: "127.0.0.1", port: 80)
    )

    @Test func `a record contains the built request, the sent request and the response, without secrets`() throws {
        var sent = Self.request
        sent.url = "http://h/b"
        sent.body = .none
        let json = DebugRecord(built: Self.request, sent: sent, result: .success(Self.response))
            .json(redactor: redactor()).value
        let expected = """
            {"built": {"method": "POST", "url": "http://h/a?key=***",
              "headers": [{"name": "authorization", "value": "***"}, {"name": "X-Key", "value": "***"},
                {"name": "Cookie", "value": "***"}, {"name": "Proxy-Authorization", "value": "***"}],
              "body": {"bytes": 10, "text": "pw=***"},
              "options": {"timeout": 60000, "connectTimeout": 10000, "maxBody": 67108864, "maxConnections": 8,
                "compression": true, "http": "auto", "cookies": "off"}},
             "sent": {"method": "POST", "url": "http://h/b",
              "headers": [{"name": "authorization", "value": "***"}, {"name": "X-Key", "value": "***"},
                {"name": "Cookie", "value": "***"}, {"name": "Proxy-Authorization", "value": "***"}]},
             "response": {"status": 200, "reason": "OK", "httpVersion": "1.1", "url": "http://h/a?key=***",
              "headers": [{"name": "Set-Cookie", "value": "***"}, {"name": "X", "value": "y"}],
              "body": {"bytes": 19, "text": "{\\"echo\\": \\"***\\"}"},
              "time": {"total": 0, "dns": 0, "connect": 0, "tls": 0, "firstByte": 0},
              "bytesSent": 10, "bytesReceived": 20, "reusedConnection": false, "remoteAddress": "127.0.0.1:80"}}
            """
        #expect(json == (try JSONParser().parse(Array(expected.utf8))))
    }

    @Test func `a request sent as built is recorded once, and a failure replaces the response`() {
        let failure = TransportFailure(kind: .connect, code: 7, message: "no hunter2 there")
        let json = DebugRecord(built: Self.request, sent: Self.request, result: .failure(failure))
            .json(redactor: redactor()).value
        #expect(json["sent"] == nil && json["response"] == nil)
        #expect(json["error"]?["kind"] == "connect")
        #expect(json["error"]?["message"] == "no *** there")
        #expect(json["error"]?["wasSent"] == false)
    }

    @Test(arguments: [
        (HTTPRequest.Body.bytes([UInt8](repeating: 0x61, count: 65_536)), 65_536 as Int?),
        (.bytes([UInt8](repeating: 0x61, count: 65_537)), nil), (.bytes([0xFF]), nil), (.bytes([]), 0),
    ])
    func `a UTF-8 body of up to 64 KiB is shown, any other body only as its length`(body: HTTPRequest.Body, shown: Int?)
    {
        var request = Self.request
        request.body = body
        guard case .bytes(let bytes) = body else { return }
        let json = DebugRecord(built: request, sent: nil, result: .success(Self.response)).json(redactor: redactor())
        #expect(json.value["built"]?["body"]?["text"]?.string?.utf8.count == shown)
        #expect(json.value["built"]?["body"]?["bytes"] == .number(JSONNumber(bytes.count)))
    }

    @Test func `files are shown by path, and passwords in options are not shown`() throws {
        var request = Self.request
        request.body = .parts([.bytes([0x61]), .file(LocalFile("/x"))])
        request.options.proxy = .url("http://me:pw@p:3128")
        request.options.credentials = .digest(username: "u", password: "pw")
        request.options.tls.verifiesPeer = false
        request.options.tls.clientKey = "/key"
        request.options.resolve = [SocketEndpoint(host: "h", port: 1): SocketEndpoint(host: "g", port: 1)]
        request.options.traffic = .video
        let built = DebugRecord(built: request, sent: nil, result: .success(Self.response)).json(redactor: redactor())
            .value["built"]
        #expect(built?["body"] == [["bytes": 1, "text": "a"], ["file": "/x"]])
        let options = try #require(built?["options"])
        #expect(options["proxy"] == "http://***@p:3128")
        #expect(options["digest"] == "u")
        #expect(options["tls"] == ["verify": false, "verifyHost": true])
        #expect(options["resolve"] == ["h:1": "g:1"])
        #expect(options["traffic"] == "video")
        #expect(!JSONWriter().string(options).contains("pw"))
    }

    @Test func `a recorder remembers the last request as it was sent`() async {
        let recorder = RequestRecorder(ScriptedTransport(["/a": .redirect("/b", status: 303)]))
        #expect(recorder.lastRequest == nil)
        let request = HTTPRequest(method: "POST", url: "http://s/a", body: .bytes([1]))
        _ = await recorder.send(request, followingRedirects: 3)
        #expect(recorder.lastRequest?.url == "http://s/b")
        #expect(recorder.lastRequest?.method == "GET")
    }
}
