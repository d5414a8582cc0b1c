import WaybillContract
import WaybillFormats
import WaybillJSON

/// An entry of an HTTP Archive: a request and its response.
struct HAREntry {
    let json: JSON
    let method: String
    let url: String
    /// Where it is.
    let pointer: JSONPointer
    /// When the request was sent.
    let start: Timestamp?
    /// The status of the response; 0 if the request failed, nil if there is no response.
    let status: Int?
    /// The host of the URL, in lower case.
    let host: String

    init(_ json: JSON, method: String, url: String, at pointer: JSONPointer) {
        (self.json, self.method, self.url, self.pointer) = (json, method, url, pointer)
        start = json["startedDateTime"]?.string.flatMap(Timestamp.init(rfc3339:))
        status = Int((json["response"]?["status"]).text)
        host = URIReference(url).authority.map { URIReference.Authority($0).host.lowercased() } ?? ""
    }

    var request: JSON { json["request"] ?? .null }
    var response: JSON { json["response"] ?? .null }
    var headers: [ImportedField] { Self.fields(request["headers"]) }

    /// The media type of the response, with parameters.
    var type: String {
        Self.fields(response["headers"])["content-type"]?.literal
            ?? response["content"]?["mimeType"]?.string ?? ""
    }

    /// Whether the browser asks whether a request to another origin is allowed (Fetch standard, section 4.8).
    var isPreflight: Bool {
        method == "OPTIONS" && headers.has("access-control-request-method")
    }

    /// The method and URL of the request that follows a redirect (RFC 9110, section 15.4).
    var redirect: (method: String, url: String)? {
        guard let status, [301, 302, 303, 307, 308].contains(status) else { return nil }
        let field = Self.fields(response["headers"])["location"]?.literal
        let location = field ?? response["redirectURL"]?.string ?? ""
        guard !location.isEmpty else { return nil }
        let target = URIReference(location).resolved(against: URIReference(url)).withoutFragment.description
        let isGet = status == 303 && method != "HEAD" || status < 303 && method == "POST"
        return (isGet ? "GET" : method, target)
    }

    /// Whether the options of the command line keep the entry, judging by its URL.
    func isWanted(_ options: ImportOptions) -> Bool {
        let path = URIReference(url).path
        return (options.hosts.isEmpty || options.hosts.contains { $0.lowercased() == host })
            && (options.pathPrefix.map { path.hasPrefix($0) } ?? true)
    }

    /// Whether the response has a media type, such as `application/json` or `text/*`.
    func hasType(_ wanted: String) -> Bool {
        let (wanted, type) = (wanted.lowercased(), MediaTypeName(type).text)
        return wanted.hasSuffix("/*") ? type.hasPrefix(wanted.dropLast()) : type == wanted
    }

    /// The URL. Parameters that only the list `queryString` has are added to it.
    var urlWithQuery: String {
        let query = URIReference(url).query ?? ""
        let known = Set(query.split(separator: "&").map { Self.name(of: $0) })
        let missing = Self.fields(request["queryString"]).filter { !known.contains($0.name) && !$0.name.isEmpty }.map {
            "\(PercentEncoding.component($0.name))=\(PercentEncoding.component($0.value.literal ?? ""))"
        }
        let base = url.prefix { $0 != "#" }
        guard !missing.isEmpty else { return String(base) }
        return base + (base.contains("?") ? query.isEmpty ? "" : "&" : "?") + missing.joined(separator: "&")
    }

    private static func name(of pair: Substring) -> String {
        let name = String(pair.prefix { $0 != "=" }).replacing("+", with: " ")
        return PercentEncoding.decoded(name) ?? name
    }

    /// The members of the entry and its request that HAR 1.2 does not define. Those of tools start with `_`.
    var unknownMembers: [String] {
        let known: Set<String> = [
            "pageref", "startedDateTime", "time", "request", "response", "cache", "timings", "serverIPAddress",
            "connection", "comment", "method", "url", "httpVersion", "cookies", "headers", "queryString", "postData",
            "headersSize", "bodySize", "headersCompression", "index",
        ]
        let empty: [JSON] = [.null, .array([]), .object(JSONObject()), .string("")]
        return [json, request].flatMap { $0.object ?? JSONObject() }
            .filter { !$0.name.hasPrefix("_") && !known.contains($0.name) && !empty.contains($0.value) }.map(\.name)
    }

    /// Names and values: header fields, parameters or cookies.
    static func fields(_ json: JSON?) -> [ImportedField] {
        (json?.array ?? []).compactMap { field in
            field["name"]?.string.map { ImportedField($0, ImportedText(field["value"].text)) }
        }
    }

    /// The cookies of a header field `Cookie`. The value of one without a name starts with `=`, if it is written so.
    static func cookies(_ text: String) -> [ImportedField] {
        text.split(separator: ";").compactMap { pair in
            let text = String(pair).trimmingSpaces
            guard !text.isEmpty else { return nil }
            guard let mark = text.firstIndex(of: "="), mark > text.startIndex else {
                return ImportedField("", ImportedText(text))
            }
            let value = String(text[text.index(after: mark)...]).trimmingSpaces
            return ImportedField(String(text[..<mark]).trimmingSpaces, ImportedText(value))
        }
    }

    /// Whether the request is sent with the cookies of a domain and a path (RFC 6265, sections 5.1.3 and 5.1.4).
    func sendsCookies(of domain: String, _ path: String) -> Bool {
        let domain = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
        let own = URIReference(url).path
        return (host == domain || host.hasSuffix(".\(domain)"))
            && (own == path || own.hasPrefix(path.hasSuffix("/") ? path : "\(path)/"))
    }

    /// The path of the cookies that the response sets without a path.
    var defaultPath: String {
        let path = URIReference(url).path
        return path.lastIndex(of: "/").map { String(path[..<max($0, path.index(after: path.startIndex))]) } ?? "/"
    }
}

/// The header fields that a browser adds to each request.
enum BrowserFields {
    private static let names: Set<String> = [
        "accept-charset", "accept-encoding", "accept-language", "alt-used", "connection", "content-length", "dnt",
        "host", "if-modified-since", "if-none-match", "keep-alive", "origin", "pragma", "priority", "proxy-connection",
        "referer", "save-data", "te", "transfer-encoding", "upgrade-insecure-requests", "user-agent", "x-client-data",
    ]

    /// Whether a field is one that the browser adds. The name is in lower case.
    static func contains(_ name: String, _ value: String) -> Bool {
        switch name {
        case "accept": value == "*/*" || value.hasPrefix("text/html,") || value.hasPrefix("image/")
        case "cache-control": value == "no-cache" || value == "max-age=0"
        default: name.hasPrefix(":") || name.hasPrefix("sec-") || names.contains(name)
        }
    }
}
