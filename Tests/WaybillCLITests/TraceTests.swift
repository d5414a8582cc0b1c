import Testing
import WaybillJSON
import WaybillTestSupport

/// The program, with a server that is also the collector of its traces.
@Suite(.timeLimit(.minutes(5))) struct TraceTests {
    private static let manifest = """
        waybill: 1
        secrets: {key: {env: KEY}}
        defaults: {trace: true}
        services: {s: {baseURL: "http://127.0.0.1:PORT"}}
        endpoints: {a: {path: "/a?key=${secrets.key}", headers: {X-Key: "${secrets.key}"}}}
        graphs:
          main:
            chain:
              - id: both
                batch:
                  - {id: a, call: a}
                  - {id: b, get: /busy, retry: {times: 1, backoff: {first: 1ms}}, onFailure: continue}
              - {id: each, forEach: {in: [1, 2], as: n}, get: "/each/${n}"}
              - {id: wrong, get: "/wrong?key=${secrets.key}", expect: {body: ["$.a == 2"]}}

        """

    private static let secret = "s3cr3t/w+rd"

    /// A span that a collector received.
    private struct Span {
        let json: JSON
        var name: String { json["name"]?.string ?? "" }
        var id: String { json["spanId"]?.string ?? "" }
        var parent: String? { json["parentSpanId"]?.string }
        var trace: String { json["traceId"]?.string ?? "" }

        func value(_ key: String) -> String? {
            let value = json["attributes"]?.array?.first { $0["key"]?.string == key }?["value"]
            return value?["stringValue"]?.string ?? value?["intValue"]?.string
        }
    }

    private static func spans(in request: [UInt8]) throws -> [Span] {
        let json: JSON = try JSONParser().parse(request)
        let resource = try #require(json["resourceSpans"]?.array)
        return try resource.flatMap { try #require($0["scopeSpans"]?.array) }
            .flatMap { try #require($0["spans"]?.array) }.map { Span(json: $0) }
    }

    /// Runs the manifest against a server with a collector, and then perhaps another command.
    private func run(
        _ arguments: [String] = ["run", "m.yaml", "--out", "r"],
        thenRun others: [String]? = nil,
        variables: [String: String] = [:],
        in folder: TemporaryFolder = TemporaryFolder(),
        collector: @escaping @Sendable (LoopbackConnection) -> Void = { $0.write(ServerResponse().bytes(to: "POST")) }
    ) async throws -> (command: Command, requests: [ReceivedRequest]) {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let request = connection.readRequest() {
                switch request.target {
                case "/v1/traces": collector(connection)
                case "/busy": _ = connection.write(ServerResponse(status: 503).bytes(to: request.method))
                default:
                    let json = ServerResponse(
                        headers: [("Content-Type", "application/json")],
                        body: Array(#"{"a": 1}"#.utf8)
                    )
                    guard connection.write(json.bytes(to: request.method)) else { return }
                }
            }
        }
        return try await LoopbackServer.run(script: script) { server in
            folder.write(Self.manifest.replacing("PORT", with: "\(server.port)"), to: "m.yaml")
            var variables = variables
            variables["KEY"] = Self.secret
            variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = variables["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? server.url("")
            let command = try await Command.run(CommandCase.program, arguments, in: folder.path, variables: variables)
            if let others {
                _ = try await Command.run(CommandCase.program, others, in: folder.path, variables: variables)
            }
            return (command, server.requests)
        }
    }

    @Test func `a collector receives the trace, and the servers its spans`() async throws {
        let (command, requests) = try await run(
            variables: ["OTEL_EXPORTER_OTLP_HEADERS": "api-key=t0ken", "OTEL_SERVICE_NAME": "nightly"]
        )
        #expect(command.status == 1)
        #expect(!command.errorText.contains("trace"))
        let exports = requests.filter { $0.target == "/v1/traces" }
        let export = try #require(exports.first)
        #expect(exports.count == 1)
        #expect(export.method == "POST")
        #expect(export.values(named: "Content-Type") == ["application/json"])
        #expect(export.values(named: "api-key") == ["t0ken"])
        #expect(export.values(named: "traceparent") == [])
        let spans = try Self.spans(in: export.body)
        #expect(Set(spans.map(\.trace)).count == 1)
        #expect(Set(spans.map(\.id)).count == spans.count)
        let names = Dictionary(spans.map { ($0.id, $0.name) }) { first, _ in first }
        let lines = spans.map { "\($0.parent.flatMap { names[$0] } ?? "-") > \($0.name)" }.sorted()
        #expect(
            lines == [
                "- > run m.yaml", "graph main > main.both", "graph main > main.each",
                "graph main > main.wrong", "main.both > main.both.a", "main.both > main.both.b", "main.both.a > GET",
                "main.both.b > GET", "main.both.b > GET",
                "main.each > main.each[]", "main.each > main.each[]", "main.each[] > GET", "main.each[] > GET",
                "main.wrong > GET", "run m.yaml > graph main",
            ]
        )
        // The spans of the attempts are those that the requests name.
        let attempts = spans.filter { $0.name == "GET" }.map { "00-\($0.trace)-\($0.id)-01" }
        let told = requests.filter { $0.target != "/v1/traces" }.flatMap { $0.values(named: "traceparent") }
        #expect(told.count == 6)
        #expect(Set(told) == Set(attempts))
        let failed = try #require(spans.first { $0.name == "main.wrong" })
        #expect(failed.json["status"]?["code"] == 2)
        #expect(failed.json["status"]?["message"]?.string?.contains("$.a == 2") == true)
        let text = String(decoding: export.body, as: UTF8.self)
        #expect(text.contains(#"{"key":"service.name","value":{"stringValue":"nightly"}}"#))
        #expect(text.contains(#""url.full","value":{"stringValue":"http://127.0.0.1:"#))
    }

    @Test func `a call is a trace`() async throws {
        let (command, requests) = try await run(["call", "m.yaml", "a", "--out", "r"])
        #expect(command.status == 0)
        let export = try #require(requests.first { $0.target == "/v1/traces" })
        let spans = try Self.spans(in: export.body)
        #expect(spans.map(\.name).sorted() == ["GET", "call.a", "graph call", "run m.yaml"])
        let attempt = try #require(spans.first { $0.name == "GET" })
        let sent = requests.first { $0.target != "/v1/traces" }?.values(named: "traceparent")
        #expect(sent == ["00-\(attempt.trace)-\(attempt.id)-01"])
    }

    @Test func `a call whose trace cannot be sent succeeds with a warning`() async throws {
        let (command, _) = try await run(["call", "m.yaml", "a", "--out", "r"]) { connection in
            connection.write(ServerResponse(status: 500).bytes(to: "POST"))
        }
        #expect(command.status == 0)
        #expect(command.errorText.contains("4 spans were not sent: status 500"))
    }

    @Test func `the attributes of the environment variable replace those of the program`() async throws {
        let (_, requests) = try await run(
            ["call", "m.yaml", "a", "--out", "r"],
            variables: ["OTEL_RESOURCE_ATTRIBUTES": "service.version=nightly"]
        )
        let export = try #require(requests.first { $0.target == "/v1/traces" })
        let json: JSON = try JSONParser().parse(export.body)
        let attributes = json["resourceSpans"]?[0]?["resource"]?["attributes"]?.array ?? []
        let keys = attributes.compactMap { $0["key"]?.string }.sorted()
        #expect(keys == ["service.name", "service.version", "waybill.manifest", "waybill.run.id"])
        #expect(attributes.first { $0["key"] == "service.version" }?["value"]?["stringValue"] == "nightly")
    }

    @Test func `no secret is in the trace`() async throws {
        let folder = TemporaryFolder()
        let (_, requests) = try await run(variables: ["OTEL_EXPORTER_OTLP_HEADERS": "api-key=t0ken-4711"], in: folder)
        let export = try #require(requests.first { $0.target == "/v1/traces" })
        let text = String(decoding: export.body, as: UTF8.self)
        #expect(text.contains("key=***"))
        for secret in [Self.secret, "s3cr3t", "t0ken-4711"] { #expect(!text.contains(secret)) }
        #expect(folder.read("r/events.ndjson")?.contains("t0ken-4711") == false)
    }

    @Test func `nothing is sent without an endpoint`() async throws {
        let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "", "OTEL_TRACES_EXPORTER": "otlp"]
        let (command, requests) = try await run(variables: variables)
        #expect(command.status == 1)
        #expect(!requests.contains { $0.target == "/v1/traces" })
        #expect(requests.count == 6)
    }

    @Test func `a resumed run has the same trace`() async throws {
        let (_, requests) = try await run(thenRun: ["resume", "r"])
        let exports = try requests.filter { $0.target == "/v1/traces" }.map { try Self.spans(in: $0.body) }
        #expect(exports.map(\.count) == [15, 4])
        #expect(Set(exports.flatMap { $0 }.map(\.trace)).count == 1)
        #expect(Set(exports.flatMap { $0 }.map(\.id)).count == 19)
    }

    @Test func `a run continues the trace of the program that started it`() async throws {
        let parent = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
        let (_, requests) = try await run(variables: ["TRACEPARENT": "00-\(parent)-01", "TRACESTATE": "ci=1"])
        let export = try #require(requests.first { $0.target == "/v1/traces" })
        let root = try #require(try Self.spans(in: export.body).first { $0.name == "run m.yaml" })
        #expect(root.trace == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(root.parent == "00f067aa0ba902b7")
        #expect(requests.first?.values(named: "tracestate") == ["ci=1"])
        let (_, others) = try await run(variables: ["TRACEPARENT": "00-\(parent)-00"])
        #expect(!others.contains { $0.target == "/v1/traces" })
        #expect(others.first?.values(named: "traceparent").first?.hasSuffix("-00") == true)
    }

    @Test func `a file receives a line for each export, after those that it has`() async throws {
        let folder = TemporaryFolder()
        let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "file://\(folder.path)/traces.jsonl"]
        for out in ["r1", "r2"] {
            _ = try await run(["run", "m.yaml", "--out", out], variables: variables, in: folder)
        }
        let lines = try #require(folder.read("traces.jsonl")).split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines { #expect(try Self.spans(in: Array(line.utf8)).count == 15) }
    }

    @Test func `a line that a killed process has not finished is not continued`() async throws {
        let folder = TemporaryFolder()
        folder.write("{}\n{\"resourceSpans\": [", to: "traces.jsonl")
        let variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "file://\(folder.path)/traces.jsonl"]
        _ = try await run(variables: variables, in: folder)
        let lines = try #require(folder.read("traces.jsonl")).split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[1] == "{\"resourceSpans\": [")
        #expect(try Self.spans(in: Array(lines[2].utf8)).count == 15)
    }

    @Test func `a file that is full has no part of a line`() async throws {
        let folder = TemporaryFolder()
        folder.write("waybill: 1\ngraphs: {main: {chain: [{values: {a: 1}}]}}\n", to: "n.yaml")
        // 400 bytes are free.
        let lines = String(repeating: "\(String(repeating: "x", count: 99))\n", count: 1020)
        folder.write(lines, to: "traces.jsonl")
        // The limit of the size of files, in units of 512 bytes.
        let command = try await Command.run(
            "/bin/sh",
            ["-c", "ulimit -f 200; exec \"$0\" run n.yaml --out r", CommandCase.program],
            in: folder.path,
            variables: ["OTEL_EXPORTER_OTLP_ENDPOINT": "file://\(folder.path)/traces.jsonl"]
        )
        #expect(command.status == 0)
        #expect(command.errorText.contains("3 spans were not sent: File too large"))
        #expect(folder.read("traces.jsonl") == lines)
    }

    @Test func `each manifest of several is a trace`() async throws {
        let folder = TemporaryFolder()
        folder.write("waybill: 1\ngraphs: {main: {chain: [{values: {a: 1}}]}}\n", to: "n.yaml")
        let (_, requests) = try await run(["run", "m.yaml", "n.yaml", "--jobs", "2"], in: folder)
        let exports = try requests.filter { $0.target == "/v1/traces" }.map { try Self.spans(in: $0.body) }
        #expect(Set(exports.flatMap { $0 }.filter { $0.parent == nil }.map(\.name)) == ["run m.yaml", "run n.yaml"])
        #expect(Set(exports.flatMap { $0 }.map(\.trace)).count == 2)
    }

    @Test(arguments: [
        (status: 500, reason: "15 spans were not sent: status 500"),
        (status: 302, reason: "15 spans were not sent: status 302"),
        (status: 401, reason: "15 spans were not sent: status 401"),
    ])
    func `a collector that refuses the trace changes only standard error`(status: Int, reason: String) async throws {
        let (command, requests) = try await run { connection in
            let headers = [(name: "Location", value: "/stolen")]
            connection.write(ServerResponse(status: status, headers: headers).bytes(to: "POST"))
        }
        #expect(command.status == 1)
        #expect(command.errorText.contains("warning[trace-export]: the trace is not complete at http://127.0.0.1:"))
        #expect(command.errorText.contains(reason))
        #expect(command.errorText.ranges(of: "trace-export]").count == 1)
        #expect(!requests.contains { $0.target == "/stolen" })
    }

    @Test func `a collector that accepts a part of the trace is named in a warning`() async throws {
        let (command, _) = try await run { connection in
            let json = #"{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too \u001b[31mold"}}"#
            connection.write(ServerResponse(body: Array(json.utf8)).bytes(to: "POST"))
        }
        #expect(command.errorText.contains("3 spans were rejected: too "))
        #expect(!command.errorText.contains("\u{1b}"))
    }

    @Test(arguments: [
        ServerFault.silent, .stallsInBody, .dripsHeader, .endlessBody, .endlessHeader, .endlessInformational, .notHTTP,
        .resetsBeforeResponse, .closesWithoutResponse,
    ])
    func `a collector that misbehaves delays the run by the time limit at most`(fault: ServerFault) async throws {
        let collector = try LoopbackServer(script: fault.script)
        defer { collector.stop() }
        let (command, _) = try await run(variables: [
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url(""), "OTEL_EXPORTER_OTLP_TIMEOUT": "300",
        ])
        #expect(command.status == 1)
        #expect(command.errorText.contains("15 spans were not sent: "))
    }

    @Test func `a collector that is not running is named in a warning`() async throws {
        let port = try LoopbackSocket.refusingPort()
        let url = "http://127.0.0.1:\(port)?api-key=t0ken"
        let (command, _) = try await run(variables: ["OTEL_EXPORTER_OTLP_ENDPOINT": url])
        #expect(command.status == 1)
        #expect(command.errorText.contains("the trace is not complete at http://127.0.0.1:\(port)/v1/traces: "))
        #expect(!command.errorText.contains("t0ken"))
    }

    @Test func `the elements of a traced step change nothing that is printed`() async throws {
        let plain = try await run(variables: ["OTEL_SDK_DISABLED": "true"]).command
        let traced = try await run().command
        func normalized(_ text: String) -> String {
            text.normalized(port: nil).replacing(#/127.0.0.1:[0-9]+/#, with: "SERVER")
        }
        #expect(normalized(plain.outputText) == normalized(traced.outputText))
        #expect(normalized(plain.errorText) == normalized(traced.errorText))
    }
}
