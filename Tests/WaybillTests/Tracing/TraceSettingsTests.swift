import Testing
import WaybillDiagnostics
import WaybillTransport

@testable import WaybillTracing

/// The environment variables of OpenTelemetry.
@Suite struct TraceSettingsTests {
    private static let endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

    /// The settings, with the endpoint that most tests need.
    private func read(_ variables: [String: String]) -> (settings: TraceSettings?, warnings: [Diagnostic]) {
        TraceSettings.read(from: variables.merging([Self.endpoint: "http://c:4318"]) { given, _ in given })
    }

    @Test(arguments: [
        [:],
        ["OTEL_EXPORTER_OTLP_ENDPOINT": ""],
        ["OTEL_SERVICE_NAME": "x", "OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_HEADERS": "a=b"],
        ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c:4318"],
    ])
    func `nothing is exported without an endpoint`(variables: [String: String]) {
        let reading = TraceSettings.read(from: variables)
        #expect(reading.settings == nil)
        #expect(reading.warnings.isEmpty)
    }

    @Test(arguments: [
        ["OTEL_SDK_DISABLED": "true"], ["OTEL_SDK_DISABLED": "TRUE"], ["OTEL_TRACES_EXPORTER": "none"],
    ])
    func `the export can be disabled`(variables: [String: String]) {
        let reading = read(variables)
        #expect(reading.settings == nil)
        #expect(reading.warnings.isEmpty)
    }

    @Test(arguments: [
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"], "http://c:4318/v1/traces"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c/"], "https://c/v1/traces"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c/otel"], "http://c/otel/v1/traces"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c/otel/?key=1"], "http://c/otel/v1/traces?key=1"),
        (["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/in"], "http://c/in"),
        (
            ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:1", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://d"],
            "http://c:1"
        ),
    ])
    func `the URL is that of the traces`(variables: [String: String], url: String) {
        #expect(TraceSettings.read(from: variables).settings?.destination == .collector(url: url))
    }

    @Test(arguments: ["file:///tmp/a%20b.jsonl", "file:/tmp/a b.jsonl", "FILE://localhost/tmp/a%20b.jsonl"])
    func `a file URL names a file`(url: String) {
        #expect(read([Self.endpoint: url]).settings?.destination == .file(path: "/tmp/a b.jsonl"))
    }

    @Test(arguments: [
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "c:4318"], "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL that can be requested"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://c"], "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL that can be requested"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://u:hunter2@c"], "OTEL_EXPORTER_OTLP_ENDPOINT contains a user"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "file:traces"], "OTEL_EXPORTER_OTLP_ENDPOINT is not the URL of a file"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "file://host/a"], "OTEL_EXPORTER_OTLP_ENDPOINT is not the URL of a file"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "file:///tmp/"], "OTEL_EXPORTER_OTLP_ENDPOINT is not the URL of a file"),
        (["OTEL_TRACES_EXPORTER": "zipkin"], "OTEL_TRACES_EXPORTER must be 'otlp' or 'none'"),
        (["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"], "OTEL_EXPORTER_OTLP_PROTOCOL must be http/json"),
        (["OTEL_EXPORTER_OTLP_TRACES_HEADERS": "hunter2"], "OTEL_EXPORTER_OTLP_TRACES_HEADERS is not a list"),
        (["OTEL_EXPORTER_OTLP_HEADERS": "key=hunter2%0d%0aX: y"], "OTEL_EXPORTER_OTLP_HEADERS is not a list"),
        (["OTEL_EXPORTER_OTLP_HEADERS": "a key=hunter2"], "OTEL_EXPORTER_OTLP_HEADERS is not a list"),
        (["OTEL_EXPORTER_OTLP_HEADERS": "key=hunter2%"], "OTEL_EXPORTER_OTLP_HEADERS is not a list"),
    ])
    func `nothing is exported with a value that cannot be used`(variables: [String: String], words: String) {
        let reading = read(variables)
        #expect(reading.settings == nil)
        #expect(reading.warnings.map(\.headline).count == 1)
        let headline = reading.warnings.first?.headline ?? ""
        #expect(headline.hasPrefix("no traces are exported: \(words)"))
        #expect(!headline.contains("hunter2"))
        #expect(reading.warnings.first?.severity == .warning)
    }

    @Test(arguments: [
        (["OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"], []),
        (["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"], []),
        (["OTEL_TRACES_EXPORTER": "console, otlp"], []),
        (
            ["OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"],
            ["traces are sent as http/json: OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf, which is not supported"]
        ),
        (
            ["OTEL_EXPORTER_OTLP_TIMEOUT": "10s"],
            ["OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds, so the timeout is 10 seconds"]
        ),
        (
            ["OTEL_RESOURCE_ATTRIBUTES": "a"],
            ["OTEL_RESOURCE_ATTRIBUTES is not a list of NAME=VALUE, separated by commas, and is ignored"]
        ),
    ])
    func `other values that cannot be used do not prevent the export`(variables: [String: String], warnings: [String]) {
        let reading = read(variables)
        #expect(reading.settings?.destination == .collector(url: "http://c:4318/v1/traces"))
        #expect(reading.settings?.timeout == .seconds(10))
        #expect(reading.settings?.resource == [SpanAttribute("service.name", .string("waybill"))])
        #expect(reading.warnings.map(\.headline) == warnings)
    }

    @Test func `header fields and resource attributes are percent-decoded`() {
        let settings = read([
            "OTEL_EXPORTER_OTLP_HEADERS": "a=general",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS": " api-key = 1%202%2C3 ,b=c=d,",
            "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,team=a%20b,team=c",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
            "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "250",
        ]).settings
        #expect(
            settings?.headers == [
                HTTPField(name: "api-key", value: "1 2,3", isSensitive: true),
                HTTPField(name: "b", value: "c=d", isSensitive: true),
            ]
        )
        #expect(
            settings?.resource == [
                SpanAttribute("service.name", .string("other")), SpanAttribute("team", .string("c")),
            ]
        )
        #expect(settings?.timeout == .milliseconds(250))
    }

    @Test func `the name of the service takes precedence over the attributes`() {
        let settings = read(["OTEL_SERVICE_NAME": "nightly", "OTEL_RESOURCE_ATTRIBUTES": "service.name=other"]).settings
        #expect(settings?.resource == [SpanAttribute("service.name", .string("nightly"))])
    }
}
