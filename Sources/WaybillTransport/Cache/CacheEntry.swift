package import WaybillFormats

/// A stored response, with the data that decides when it may be used.
package struct CacheEntry: Sendable, Equatable {
    /// The key of the entry.
    package var key: CacheKey
    /// The status of the response.
    package var status: Int
    /// The reason phrase.
    package var reason = ""
    /// The version of HTTP.
    package var httpVersion = "1.1"
    /// The header fields that may be stored (RFC 9111, section 3.1).
    package var headers: HTTPFields
    /// The body, decoded if the request accepted compression.
    package var body: [UInt8]
    /// When the request was sent.
    package var requestedAt: Timestamp
    /// When the response was received.
    package var receivedAt: Timestamp
    /// The request's values of the fields that `Vary` names (section 4.1).
    package var selection: CacheSelection

    /// The fields that make a request conditional (section 4.3.1); empty without a validator.
    package var conditions: [HTTPField] {
        var fields: [HTTPField] = []
        if let tag = headers.first(named: "ETag"), EntityValidator.isUsable(tag) {
            fields.append(HTTPField(name: "If-None-Match", value: tag))
        }
        if let date = headers.first(named: "Last-Modified"), HTTPDate.moment(date) != nil {
            fields.append(HTTPField(name: "If-Modified-Since", value: date))
        }
        return fields
    }

    /// Whether the validators of a newer response match those of this one; true if the newer one has none (sections
    /// 4.3.4 and 4.3.5).
    package func isConfirmed(by newer: HTTPFields) -> Bool {
        func opaque(_ tag: String) -> [UInt8] { Array(tag.utf8.dropFirst(tag.utf8.starts(with: "W/".utf8) ? 2 : 0)) }
        if let tag = newer.first(named: "ETag") {
            guard EntityValidator.isUsable(tag) else { return false }
            return headers.first(named: "ETag").map(opaque) == opaque(tag)
        }
        guard let date = newer.first(named: "Last-Modified") else { return true }
        return headers.first(named: "Last-Modified") == date
    }

    /// The entry with the fields of a response that confirmed it (section 3.2).
    package func updated(by newer: HTTPFields, requestedAt: Timestamp, receivedAt: Timestamp) -> CacheEntry {
        let fields = Self.storable(newer).filter { field in !Self.aboutContent.contains(where: field.isNamed) }
        let kept = headers.filter { field in !fields.contains { $0.isNamed(field.name) } && !field.isNamed("Age") }
        var entry = self
        entry.headers = HTTPFields(kept + fields)
        (entry.requestedAt, entry.receivedAt) = (requestedAt, receivedAt)
        return entry
    }

    /// The response to a request, with its `Age` (section 4). A response to HEAD has no body.
    package func response(to request: HTTPRequest, use: CacheUse, now: Timestamp) -> HTTPResponse {
        let age = HTTPField(name: "Age", value: String(CacheFreshness(self, now: now).age))
        var response = HTTPResponse(
            status: status,
            reason: reason,
            httpVersion: httpVersion,
            headers: HTTPFields(headers.filter { !$0.isNamed("Age") } + [age]),
            body: request.method == "HEAD" ? [] : body,
            url: request.url
        )
        response.cacheUse = use
        return response
    }

    // Fields that describe the stored bytes, which a response without a body must not change.
    private static let aboutContent = ["Content-Length", "Content-Encoding", "Content-Range", "Content-Type"]

    private static let connectionFields = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    ]

    private static func storable(_ fields: HTTPFields) -> HTTPFields {
        let named = fields.values(named: "Connection").flatMap { HTTPField.elements(of: $0).map(\.name) }
        let excluded = connectionFields + named
        return HTTPFields(fields.filter { field in !excluded.contains(where: field.isNamed) })
    }
}

extension CacheEntry {
    /// Creates the entry for a response.
    init(_ response: HTTPResponse, to request: HTTPRequest, selection: CacheSelection, sentAt: Timestamp, at: Timestamp)
    {
        self.init(
            key: CacheKey(request),
            status: response.status,
            reason: response.reason,
            httpVersion: response.httpVersion,
            headers: Self.storable(response.headers),
            body: response.body,
            requestedAt: sentAt,
            receivedAt: at,
            selection: selection
        )
    }
}

/// Identifies the stored response of a URL, which is the newest one.
package struct CacheKey: Sendable, Hashable {
    /// The URL, without its fragment.
    package let url: String
    /// What else identifies the server: another address to connect to, the proxy for http, and how the server was
    /// verified. Empty for most requests. It keeps the response of a mock server or an unverified server from being used for the real one.
    package let route: String

    /// Creates a key from its parts.
    package init(url: String, route: String) {
        self.url = String(url.prefix { $0 != "#" })
        self.route = route
    }

    /// Creates the key for the URL of a request, or for a URL to which its response refers.
    init(url: String, as request: HTTPRequest) {
        var parts: [String] = []
        let origin = try? Origin(ofURL: url, resolve: request.options.resolve)
        if let endpoint = request.connectTo ?? origin?.connectTo { parts.append("to \(endpoint)") }
        // A proxy cannot change what https carries.
        if let origin, !origin.isSecure, let proxy = try? PreparedProxy.make(request.options.proxy, for: origin) {
            parts.append("through \(proxy.endpoint)")
        }
        if let socket = request.options.unixSocket { parts.append("socket \(socket)") }
        if let host = request.headers.first(where: { $0.isNamed("Host") }) { parts.append("host \(host.value)") }
        if !request.options.tls.verifiesPeer || !request.options.tls.verifiesHost { parts.append("unverified") }
        if let file = request.options.tls.certificateAuthorities { parts.append("trusting \(file)") }
        let pins = request.options.tls.pins.map { "\($0)" }.sorted()
        if !pins.isEmpty { parts.append("pinned \(pins.joined(separator: " "))") }
        self.init(url: url, route: parts.joined(separator: ", "))
    }

    /// Creates the key of a request.
    package init(_ request: HTTPRequest) { self.init(url: request.url, as: request) }

    /// The name of the entry's file: the SHA-256 digest of the key's parts.
    var fileName: String { Digest.sha256(of: Array("\(route)\n\(url)".utf8)) }
}
