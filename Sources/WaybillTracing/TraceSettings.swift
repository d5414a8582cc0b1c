import WaybillDiagnostics
import WaybillFormats
import WaybillResults
import WaybillTransport

/// Where the spans of a run go, as OpenTelemetry's environment variables specify it. A variable that is empty is treated
/// as not set.
struct TraceSettings: Sendable, Equatable {
    /// Where the spans go.
    enum Destination: Sendable, Equatable {
        /// A collector that receives OTLP over HTTP at this URL.
        case collector(url: String)
        /// A file at this path, to which lines of JSON are appended.
        case file(path: String)
    }

    /// Where the spans go.
    var destination: Destination
    /// Header fields for the collector. Their values are secrets.
    var headers: [HTTPField] = []
    /// The maximum time for a request to the collector, and for all that are left when the run has finished.
    var timeout = Duration.seconds(10)
    /// The attributes of the resource: who sends the spans.
    var resource: [SpanAttribute] = []
}

extension TraceSettings {
    /// Reads the settings, with warnings about values that cannot be used. Nothing is exported unless a variable names an
    /// endpoint.
    static func read(from variables: [String: String]) -> (settings: TraceSettings?, warnings: [Diagnostic]) {
        var reader = TraceSettingsReader(variables: variables)
        return (reader.settings(), reader.warnings)
    }
}

extension Diagnostic {
    /// A warning about the export of traces.
    static func traces(_ headline: String, help: [String] = []) -> Diagnostic {
        Diagnostic("trace-export", headline, severity: .warning, at: nil, help: help)
    }
}

/// Reads `TraceSettings` from environment variables. No warning contains a value that may be secret.
private struct TraceSettingsReader {
    let variables: [String: String]
    var warnings: [Diagnostic] = []

    private static let prefix = "OTEL_EXPORTER_OTLP_"

    mutating func settings() -> TraceSettings? {
        guard variables["OTEL_SDK_DISABLED"]?.lowercased() != "true", let endpoint = endpoint(), isEnabled(),
            usesHTTP()
        else { return nil }
        guard let destination = destination(endpoint), let headers = headers() else { return nil }
        var settings = TraceSettings(destination: destination, headers: headers)
        if let timeout = timeout() { settings.timeout = timeout }
        settings.resource = resource()
        return settings
    }

    /// The value of a variable for traces, or of the one for all signals, with its name.
    private func value(_ name: String) -> (name: String, text: String)? {
        for name in ["\(Self.prefix)TRACES_\(name)", "\(Self.prefix)\(name)"] {
            if let text = variables[name], !text.isEmpty { return (name, text) }
        }
        return nil
    }

    private mutating func warn(_ headline: String, _ help: String...) {
        warnings.append(Diagnostic.traces(headline, help: help))
    }

    /// Whether the exporter is the only one that is supported.
    private mutating func isEnabled() -> Bool {
        let name = "OTEL_TRACES_EXPORTER"
        guard let text = variables[name], !text.isEmpty else { return true }
        let exporters = text.split(separator: ",").map { $0.filter { $0 != " " } }
        if exporters.contains("otlp") { return true }
        if exporters != ["none"] { warn("no traces are exported: \(name) must be 'otlp' or 'none'") }
        return false
    }

    /// Whether the protocol is HTTP. JSON is sent whatever its encoding, because collectors accept both.
    private mutating func usesHTTP() -> Bool {
        guard let (name, text) = value("PROTOCOL"), text != "http/json" else { return true }
        if text == "http/protobuf" {
            warn("traces are sent as http/json: \(name) is http/protobuf, which is not supported")
            return true
        }
        warn(
            "no traces are exported: \(name) must be http/json",
            "Collectors receive http/json at another port than grpc, usually 4318."
        )
        return false
    }

    private func endpoint() -> (name: String, text: String, isForTraces: Bool)? {
        value("ENDPOINT").map { ($0.name, $0.text, $0.name.hasSuffix("TRACES_ENDPOINT")) }
    }

    private mutating func destination(
        _ endpoint: (name: String, text: String, isForTraces: Bool)
    ) -> TraceSettings.Destination? {
        let reference = URIReference(endpoint.text)
        if reference.scheme?.lowercased() == "file" {
            let path = PercentEncoding.decoded(reference.path)
            guard reference.authority ?? "" == "" || reference.authority == "localhost", let path,
                path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0)
            else {
                let words = "is not the URL of a file, such as file:///tmp/traces.jsonl"
                warn("no traces are exported: \(endpoint.name) \(words)")
                return nil
            }
            return .file(path: path)
        }
        guard !(reference.authority ?? "").contains("@") else {
            warn(
                "no traces are exported: \(endpoint.name) contains a user name or password",
                "Put credentials in OTEL_EXPORTER_OTLP_HEADERS."
            )
            return nil
        }
        var url = endpoint.text
        if !endpoint.isForTraces {
            // The path of the signal is added to that of the endpoint, which may have a query.
            var address = reference
            let slash = address.path.hasSuffix("/") ? "" : "/"
            address.path += "\(slash)v1/traces"
            url = address.description
        }
        do throws(TransportFailure) {
            _ = try Origin(ofURL: url)
            return .collector(url: url)
        } catch {
            warn("no traces are exported: \(endpoint.name) is not a URL that can be requested: \(error.message)")
            return nil
        }
    }

    /// The header fields for the collector; `nil` if they cannot be sent.
    private mutating func headers() -> [HTTPField]? {
        guard let (name, text) = value("HEADERS") else { return [] }
        guard let pairs = Self.pairs(in: text),
            pairs.allSatisfy({ $0.key.isToken && $0.value.isFieldValue })
        else {
            warn(
                "no traces are exported: \(name) is not a list of header fields",
                "The form is NAME=VALUE,NAME=VALUE; commas, spaces and '%' in a value are percent-encoded."
            )
            return nil
        }
        return pairs.map { HTTPField(name: $0.key, value: $0.value, isSensitive: true) }
    }

    private mutating func timeout() -> Duration? {
        guard let (name, text) = value("TIMEOUT") else { return nil }
        guard let milliseconds = Int(text), (1...86_400_000).contains(milliseconds) else {
            warn("\(name) is not a number of milliseconds, so the timeout is 10 seconds")
            return nil
        }
        return .milliseconds(milliseconds)
    }

    private mutating func resource() -> [SpanAttribute] {
        let name = "OTEL_RESOURCE_ATTRIBUTES"
        var pairs = Self.pairs(in: variables[name] ?? "")
        if pairs == nil { warn("\(name) is not a list of NAME=VALUE, separated by commas, and is ignored") }
        let service = variables["OTEL_SERVICE_NAME"].flatMap { $0.isEmpty ? nil : $0 }
        if service != nil { pairs?.removeAll { $0.key == "service.name" } }
        var attributes: [SpanAttribute] = []
        if service != nil || !(pairs ?? []).contains(where: { $0.key == "service.name" }) {
            attributes.append(SpanAttribute("service.name", .string(service ?? "waybill")))
        }
        return attributes + (pairs ?? []).map { SpanAttribute($0.key, .string($0.value)) }
    }

    /// The pairs of a list as in W3C Baggage: `NAME=VALUE,NAME=VALUE`, percent-encoded, of which the last one of a name
    /// counts. `nil` if it is not such a list.
    private static func pairs(in text: String) -> [(key: String, value: String)]? {
        var pairs: [(key: String, value: String)] = []
        for part in text.split(separator: ",") where !part.allSatisfy({ $0 == " " }) {
            guard let equals = part.firstIndex(of: "="),
                let key = PercentEncoding.decoded(trimmed(part[..<equals])), !key.isEmpty,
                let value = PercentEncoding.decoded(trimmed(part[part.index(after: equals)...]))
            else { return nil }
            pairs.removeAll { $0.key == key }
            pairs.append((key, value))
        }
        return pairs
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
