import CLibCurl
import WaybillFormats

/// Decides what to do after a response that may be a redirect (RFC 9110, section 15.4). The sender of the requests
/// calls `next` after each response.
package struct RedirectState: Sendable {
    /// What to do after a response.
    package enum Step: Sendable, Equatable {
        /// The response is the final one.
        case finish
        /// Send this request next.
        case follow(HTTPRequest, Redirect)
        /// The redirect must not be followed.
        case fail(TransportFailure)
    }

    private var request: HTTPRequest
    private let first: HTTPRequest
    private let limit: Int
    private var count = 0

    /// Creates the state before the response to the first request, which may be followed by at most this many hops.
    package init(_ request: HTTPRequest, limit: Int) {
        self.request = request
        first = request
        self.limit = limit
    }

    /// Decides what to do after the response to the latest request.
    package mutating func next(after response: HTTPResponse) -> Step {
        guard let location = response.redirectLocation else { return .finish }
        // RFC 9110, section 10.2.2: there is only one. Two are ambiguous, and an attacker may have added one of them.
        if let other = response.headers.values(named: "Location").first(where: { $0 != location }) {
            let targets = "\(location.shortened.quoted) and \(other.shortened.quoted)"
            let words = "\(request.subject) redirects to two different URLs, \(targets)"
            return .fail(.redirect(CURLE_WEIRD_SERVER_REPLY, words, response))
        }
        guard count < limit else {
            let words = limit == 1 ? "more than once" : "more than \(limit) times"
            return .fail(.redirect(CURLE_TOO_MANY_REDIRECTS, "the request was redirected \(words)", response))
        }
        count += 1
        var target = URIReference(PercentEncoding.reference(location)).resolved(against: URIReference(request.url))
        // RFC 9110, section 10.2.2: a fragment is inherited.
        target.fragment = target.fragment ?? URIReference(request.url).fragment
        let url = target.description
        let (here, there): (Origin, Origin)
        do {
            here = try Origin(ofURL: request.url)
            there = try Origin(ofURL: url)
        } catch {
            let words = "\(request.subject) redirects to a URL that must not be requested: \(error.message)"
            return .fail(.redirect(CURLcode(rawValue: UInt32(error.code)), words, response))
        }
        var redirect = Redirect(
            status: response.status,
            from: request.url,
            to: url,
            method: Self.method(after: response.status, of: request.method),
            leavesOrigin: here != there,
            cookies: response.headers.values(named: "Set-Cookie"),
            httpVersion: response.httpVersion,
            headers: response.headers,
            timings: response.timings
        )
        if let demand = request.options.tls.demand, here.isSecure, !there.isSecure {
            let words = "\(request.subject) redirects to \(there), without TLS, which '\(demand)' under 'tls' demands"
            return .fail(.redirect(CURLE_SSL_PINNEDPUBKEYNOTMATCH, words, response))
        }
        if redirect.leavesOrigin, request.isBodyForOrigin, redirect.method == request.method {
            return .fail(.redirect(CURLE_ABORTED_BY_CALLBACK, request.bodyMustStay(redirect, there), response))
        }
        request.follow(redirect)
        redirect.nextHeaders = request.headers
        if let origin = try? Origin(ofURL: first.url) {
            request.options.cookies = first.options.cookies.after(leaving: origin, for: there)
        }
        return .follow(request, redirect)
    }

    // What browsers do, and section 15.4 allows: a POST becomes a GET on 301 and 302, and all but HEAD on 303.
    private static func method(after status: Int, of method: String) -> String {
        switch status {
        case 301, 302: method == "POST" ? "GET" : method
        case 303: method == "HEAD" ? method : "GET"
        default: method
        }
    }
}

extension HTTPResponse {
    /// Where the response redirects the request to; `nil` if it is not a redirect.
    var redirectLocation: String? {
        guard [301, 302, 303, 307, 308].contains(status), let location = headers.first(named: "Location") else {
            return nil
        }
        return location.isEmpty ? nil : location
    }
}

extension HTTPRequest {
    /// Changes the request to that of a hop.
    fileprivate mutating func follow(_ redirect: Redirect) {
        url = redirect.to
        options.mockExample = nil
        if redirect.method != method {
            method = redirect.method
            body = .none
            isBodySensitive = false
            isBodyForOrigin = false
            headers.removeAll(where: \.isAboutContent)
        }
        if redirect.leavesOrigin { leaveOrigin() }
    }

    /// Removes what is meant only for the first origin, when the request goes to another one.
    package mutating func leaveOrigin() {
        headers.removeAll { !$0.isForAnyOrigin }
        options.credentials = .none
        options.tls.clientCertificate = nil
        options.tls.clientKey = nil
        // These connect to the first origin, whatever the URL.
        connectTo = nil
        options.unixSocket = nil
    }

    /// The message for a body that is not sent to the target of a redirect.
    fileprivate func bodyMustStay(_ redirect: Redirect, _ target: Origin) -> String {
        "\(subject) redirected the request to another origin, \(target), with status \(redirect.status); "
            + "the request's body contains a secret, or values that neither the step nor its endpoint sets itself, so it "
            + "was not sent there. If that origin may receive it, use its address in the manifest"
    }

    /// The host and port, for messages.
    fileprivate var subject: String {
        (try? Origin(ofURL: url))?.destination ?? "the server"
    }
}

extension TransferOptions.Cookies {
    /// The handling of cookies for a request to `next` after a redirect from `first`. A jar distinguishes hosts, but
    /// not the ports and schemes of one host.
    package func after(leaving first: Origin, for next: Origin) -> TransferOptions.Cookies {
        self == .off || first == next || first.endpoint.host != next.endpoint.host ? self : .separate(next)
    }

    /// The handling of cookies for a request that must not have those of the run.
    package var withoutJarOfRun: TransferOptions.Cookies { self == .run ? .off : self }
}

extension HTTPField {
    /// Whether the field describes a body that the request no longer has (section 15.4, item 2.5).
    fileprivate var isAboutContent: Bool {
        name.lowercased().hasPrefix("content-")
            || ["Digest", "Expect", "Last-Modified", "Trailer"].contains(where: isNamed)
    }

    /// The fields that a request to another origin keeps: those about its content, and about what it accepts. Any other
    /// field may be a credential, whatever its name.
    private static let namesForAnyOrigin: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-digest",
        "content-disposition", "content-encoding", "content-language", "content-length", "content-md5", "content-range",
        "content-type",
        "digest", "dnt", "expect", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
        "last-event-id", "pragma",
        "prefer", "priority", "range", "te", "traceparent", "tracestate", "user-agent",
    ]

    /// Whether a request keeps the field when it goes to another origin.
    fileprivate var isForAnyOrigin: Bool { !isSensitive && Self.namesForAnyOrigin.contains(name.lowercased()) }
}

extension TransportFailure {
    fileprivate static func redirect(_ code: CURLcode, _ message: String, _ response: HTTPResponse) -> TransportFailure
    {
        TransportFailure(
            kind: .transfer,
            phase: .receiving,
            code: Int32(code.rawValue),
            message: message,
            timings: response.timings,
            wasSent: true
        )
    }
}

/// One hop of a redirect.
package struct Redirect: Sendable, Hashable {
    /// The status of the redirect: 301, 302, 303, 307 or 308.
    package var status: Int
    /// The URL that was requested.
    package var from: String
    /// The URL that is requested next.
    package var to: String
    /// The method of the next request.
    package var method: String
    /// Whether the next request goes to another origin, and so without credentials and other fields that may be meant
    /// only for the first one.
    package var leavesOrigin: Bool
    /// The `Set-Cookie` fields of the response with the redirect.
    package var cookies: [String] = []
    /// The HTTP version of that response.
    package var httpVersion: String
    /// Its header fields.
    package var headers: HTTPFields
    /// How long the phases of its transfer took.
    package var timings: TransferTimings
    /// The header fields of the next request.
    package var nextHeaders: [HTTPField] = []
}
