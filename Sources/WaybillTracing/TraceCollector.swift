import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// A collector that receives spans by OTLP over HTTP, with connections of its own.
struct TraceCollector: TraceDestination {
    private let url: String
    private let headers: [HTTPField]
    private let timeout: Duration
    private let transport: any Transport
    /// The secrets of the run.
    private let redactor: Redactor
    /// The values of `headers`, which are secrets too.
    private let credentials = Redactor()

    /// The maximum size of a response, in bytes. A collector's has a few.
    private static let maximumResponse = 64 << 10
    /// The maximum length of what is shown of a collector's message.
    private static let maximumMessage = 200

    /// A collector at a URL.
    ///
    /// - Parameter redactor: Knows the secrets of the run, which the collector may repeat in its messages.
    init(at url: String, _ settings: TraceSettings, _ redactor: Redactor, through transport: any Transport) {
        self.url = url
        self.redactor = redactor
        headers = settings.headers
        timeout = settings.timeout
        self.transport = transport
        for field in headers {
            credentials.register(field.value)
            // A collector may repeat the token without the scheme, such as Bearer.
            for word in field.value.split(separator: " ").dropFirst() { credentials.register(String(word)) }
        }
    }

    /// The URL without its query, which may contain a key.
    var name: String {
        var reference = URIReference(url)
        (reference.query, reference.fragment) = (nil, nil)
        return reference.description
    }

    func send(_ body: [UInt8]) async -> TraceDelivery {
        var fields = headers.filter { !$0.isNamed("Content-Type") }
        fields.append(HTTPField(name: "Content-Type", value: "application/json"))
        if !fields.contains(where: { $0.isNamed("User-Agent") }) {
            fields.append(HTTPField(name: "User-Agent", value: "waybill/\(WaybillVersion.current)"))
        }
        let request = HTTPRequest(
            method: "POST",
            url: url,
            headers: fields,
            body: .bytes(body),
            timeout: timeout,
            connectTimeout: timeout,
            maximumBodyBytes: Self.maximumResponse
        )
        // Redirects are not followed, so that the fields reach no other server.
        switch await transport.send(request) {
        case .success(let response): return delivery(response)
        case .failure(let failure):
            let isUnreachable = failure.kind == .connect || failure.kind == .dns
            let reason = redacted(failure.message)
            return isUnreachable ? .unreachable(reason: reason) : .refused(reason: reason)
        }
    }

    func close() async { await transport.shutDown() }

    private func delivery(_ response: HTTPResponse) -> TraceDelivery {
        switch response.status {
        case 200..<300: accepted(response)
        case 429, 502, 503, 504: .later(after: response.retryAfter(), reason: "status \(response.status)")
        default: .refused(reason: "status \(response.status)")
        }
    }

    /// Reads which spans the collector did not accept, if it reports that.
    private func accepted(_ response: HTTPResponse) -> TraceDelivery {
        let json: JSON? = try? JSONParser().parse(response.body)
        let partial = json?["partialSuccess"]
        let rejected = partial?["rejectedSpans"]
        var count = 0
        if case .number(let number) = rejected { count = number.int ?? 0 }
        if let text = rejected?.string { count = Int(text) ?? 0 }
        // The whole message is redacted before it is cut, because a part of a secret is not found.
        let message = partial?["errorMessage"]?.string.map { text in
            PrintableText.oneLine(redacted(text).excerpt(Self.maximumMessage))
        }
        return .accepted(rejected: max(0, count), message: message?.isEmpty == true ? nil : message)
    }

    /// A text from the collector without the secrets of the run and of the export.
    private func redacted(_ text: String) -> String { credentials.redact(redactor.redact(text)) }
}
