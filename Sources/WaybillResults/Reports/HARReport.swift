import WaybillFormats
import WaybillJSON
import WaybillRuntime

/// An HTTP Archive, version 1.2: an entry for each request in the journal, including each attempt and redirect, and a
/// page for each run.
///
/// Unknown values are written as the format prescribes: -1 or an empty string, and status 0 without a response. Bodies
/// are included as far as they were kept. A comment names the steps of whose elements not all requests were recorded.
package enum HARReport: RunReport {
    package static let name = "har"

    package static func write(_ runs: [ReportedRun], to stream: inout ReportStream) throws(ResultsError) {
        var head = JSONStream()
        head.add { addHead(of: runs.map(\.result), to: &$0) }
        // The list of entries, which comes last, is written piece by piece.
        stream.write("{\"log\":")
        stream.write(head.bytes.dropLast() + Array(",\"entries\":[".utf8))
        var separator = "\n"
        var entry = JSONStream()
        var comments: [String] = []
        for run in runs {
            let lists = run.result.steps.filter { $0.elements != nil && !$0.path.contains("[") }.map(\.path)
            var recorded: Set<String> = []
            try run.exchanges { exchange in
                if let bracket = exchange.step.utf8.firstIndex(of: UInt8(ascii: "[")) {
                    recorded.insert(String(exchange.step[..<bracket]))
                }
                stream.write(separator)
                separator = ",\n"
                entry.add { add(exchange, of: run, to: &$0) }
                stream.write(entry.bytes)
                entry.removeAll(keepingCapacity: true)
            }
            let prefix = run.result.prefix(among: runs.count)
            comments += lists.compactMap {
                comment(onElementsOf: $0, in: run.result, areRecorded: recorded.contains($0)).map { prefix + $0 }
            }
        }
        var end = JSONStream()
        end.add { if !comments.isEmpty { $0.add("comment", comments.joined(separator: "; ")) } }
        stream.write("\n]" + (comments.isEmpty ? "" : ","))
        stream.write(Array(end.bytes.dropFirst()) + Array("}\n".utf8))
    }

    /// Returns what is missing of the requests of a step with `forEach`; `nil` if nothing is.
    private static func comment(onElementsOf step: String, in run: RunResult, areRecorded: Bool) -> String? {
        guard let result = run.steps.first(where: { $0.path == step }), let elements = result.elements else {
            return nil
        }
        let count = elements.count - elements.counts[.skipped]
        if !areRecorded {
            // Elements that send nothing, such as those of `values`, have nothing to record.
            let haveRequests =
                result.attempts > 0 || elements.responseTimes != nil || elements.failures.contains { $0.url != nil }
            guard count > 0, haveRequests else { return nil }
            return
                "the run has not recorded the requests of the elements of '\(step)': use --report har=FILE when it runs"
        }
        guard count > EventStream.firstElements else { return nil }
        return
            "of '\(step)', the requests of the first \(EventStream.firstElements) elements are recorded; --verbose records all"
    }

    private static func addHead(of runs: [RunResult], to log: inout JSONStream) {
        log.add("version", "1.2")
        log.add("creator") { creator in
            creator.add("name", "waybill")
            creator.add("version", WaybillVersion.current)
        }
        log.add("pages", each: runs) { run, page in
            page.add("startedDateTime", run.startedAt)
            page.add("id", run.id.description)
            page.add("title", run.manifest)
            if run.isMocked { page.add("comment", "on the mock server") }
            // A run has none of the times of a page.
            page.add("pageTimings") { _ in }
        }
    }

    private static func add(_ exchange: Exchange, of run: ReportedRun, to entry: inout JSONStream) {
        let timings = Timings(exchange.time)
        entry.add("pageref", run.result.id.description)
        entry.add("startedDateTime", exchange.startedAt)
        entry.add("time", milliseconds: timings.total)
        entry.add("request") { addRequest(of: exchange, body: run.body(of: exchange, ofRequest: true), to: &$0) }
        entry.add("response") { addResponse(of: exchange, body: run.body(of: exchange), to: &$0) }
        entry.add("cache") { _ in }
        entry.add("timings", timings)
        entry.add("_step", exchange.step)
        entry.add("_attempt", exchange.attempt)
        entry.add("_cache", exchange.cache?.rawValue)
        entry.add("_error", exchange.failure)
    }

    private static func addRequest(of exchange: Exchange, body: ReportedRun.Body?, to request: inout JSONStream) {
        let url = String(exchange.url.unicodeScalars.prefix { $0 != "#" })
        request.add("method", exchange.method)
        request.add("url", url)
        request.add("httpVersion", version(exchange.response))
        request.add("cookies", each: [String]())
        request.add("headers", json(exchange.headers))
        request.add("queryString", json(parameters(of: url)))
        let excerpt = exchange.body
        if body != nil || excerpt != nil {
            request.add("postData") { data in
                data.add("mimeType", Exchange.value("content-type", in: exchange.headers) ?? "")
                let text = body.flatMap { String(validating: $0.bytes, as: UTF8.self) }
                data.add("text", text ?? "")
                // The format has no place for bytes.
                let size = body?.bytes.count ?? excerpt?.bytes
                let missing =
                    text == nil ? "\(size.map { "\($0) bytes" } ?? "a body") that are not text or not kept" : nil
                data.add("comment", missing ?? cutComment(body, of: excerpt))
            }
        }
        request.add("headersSize", -1)
        request.add("bodySize", exchange.bodyBytes ?? excerpt?.bytes ?? -1)
    }

    private static func cutComment(_ body: ReportedRun.Body?, of excerpt: BodyExcerpt?) -> String? {
        body?.isCut != true ? nil : "the start of \(excerpt?.bytes ?? 0) bytes; --keep-bodies keeps all"
    }

    private static func addResponse(of exchange: Exchange, body: ReportedRun.Body?, to object: inout JSONStream) {
        let response = exchange.response
        object.add("status", response?.status ?? 0)
        object.add("statusText", "")
        object.add("httpVersion", version(response))
        object.add("cookies", each: [String]())
        object.add("headers", json(response?.headers ?? []))
        object.add("content") { add(body, of: response, to: &$0) }
        object.add("redirectURL", response?.redirectURL ?? "")
        object.add("headersSize", -1)
        object.add("bodySize", -1)
        if response == nil {
            object.add("comment", exchange.failure ?? "The journal has no response; 'waybill run -v' records it.")
        }
    }

    private static func add(
        _ body: ReportedRun.Body?,
        of response: Exchange.Response?,
        to content: inout JSONStream
    ) {
        let isDecoded = response?.header("content-encoding") != nil
        let length = isDecoded ? nil : response?.header("content-length").flatMap { Int($0) }
        let size = response?.body?.bytes ?? length ?? -1
        content.add("size", body.map { $0.isCut ? size : $0.bytes.count } ?? size)
        content.add("mimeType", response?.header("content-type") ?? "")
        guard let body else { return }
        if let text = String(validating: body.bytes, as: UTF8.self) {
            content.add("text", text)
        } else {
            content.add("text", Base64.encode(body.bytes))
            content.add("encoding", "base64")
        }
        content.add("comment", cutComment(body, of: response?.body))
    }

    /// The phases as the format defines them: `connect` includes `ssl`, and the phases add up to the entry's time.
    private struct Timings: JSONStreamable {
        let time: PhaseTimes
        let wait: Duration
        let receive: Duration

        init(_ time: PhaseTimes?) {
            let time = time ?? PhaseTimes(total: .zero)
            let preparation = (time.dns ?? .zero) + (time.connect ?? .zero) + (time.tls ?? .zero)
            let firstByte = max(time.firstByte ?? time.total, preparation)
            self.time = time
            wait = firstByte - preparation
            receive = max(time.total - firstByte, .zero)
        }

        /// The sum of the phases.
        var total: Duration {
            (time.dns ?? .zero) + (time.connect ?? .zero) + (time.tls ?? .zero) + wait + receive
        }

        func addMembers(to timings: inout JSONStream) {
            let unknown = Duration.milliseconds(-1)
            let connect = time.connect.map { $0 + (time.tls ?? .zero) } ?? time.tls
            timings.add("blocked", milliseconds: unknown)
            timings.add("dns", milliseconds: time.dns ?? unknown)
            timings.add("connect", milliseconds: connect ?? unknown)
            timings.add("ssl", milliseconds: time.tls ?? unknown)
            timings.add("send", milliseconds: .zero)
            timings.add("wait", milliseconds: wait)
            timings.add("receive", milliseconds: receive)
        }
    }

    private static func version(_ response: Exchange.Response?) -> String {
        response?.httpVersion.map { "HTTP/\($0)" } ?? ""
    }

    /// Converts header fields and the like from the journal, which are redacted.
    private static func json(_ list: [JSON]) -> RedactedJSON { RedactedJSON(redacted: .array(list)) }

    /// Returns the decoded parameters of a query, each as `{name, value}`.
    private static func parameters(of url: String) -> [JSON] {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return url.utf8[mark...].dropFirst().split(separator: UInt8(ascii: "&")).map { part in
            let pieces = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = pieces.map { piece in
                let piece = piece.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
                return String(decoding: PercentEncoding.decodedBytes(piece), as: UTF8.self)
            }
            return ["name": .string(decoded[0]), "value": .string(decoded.count > 1 ? decoded[1] : "")]
        }
    }
}
