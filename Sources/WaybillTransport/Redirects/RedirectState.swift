import CLibCurl
import WaybillFormats

/// Decides what follows a response that may be a redirect (RFC 9110, section 15.4). The sender of the requests calls it
/// after each response.
package struct RedirectState: Sendable {
    /// What to do after a response.
    package enum Step: Sendable, Equatable {
        /// It is the final one.
        case finish
        /// This request follows.
        case follow(HTTPRequest, Redirect)
        /// It leads nowhere that may be gone to.
        case fail(TransportFailure)
    }

    private var request: HTTPRequest
    private let first: HTTPRequest
    private let limit: Int
    private var count = 0

    /// The state before the response to a first request, which may be followed by this many hops.
    package init(_ request: HTTPRequest, limit: Int) {
        self.request = request
        first = request
        self.limit = limit
    }

    /// Decides what to do after the response to the latest request.
    package mutating func next(after response: HTTPResponse) -> Step {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.headers.first(named: "Location"), !location.isEmpty
        else { return .finish }
        // RFC 9110, section 10.2.2: there is one. Which of two is meant, nobody knows, and an attacker may have added one.
        if let other = response.headers.values(named: "Location").first(where: { $0 != location }) {
            let places = "\(location.shortened.quoted) and \(other.shortened.quoted)"
            let words = "\(request.place) redirects to two places, \(places)"
            return .fail(.redirect(CURLE_WEIRD_SERVER_REPLY, words, response))
        }
        guard count < limit else {
            let words = limit == 1 ? "more than 1 redirect" : "more than \(limit) redirects"
            return .fail(.redirect(CURLE_TOO_MANY_REDIRECTS, "\(words) followed one another", response))
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
            let words = "\(request.place) redirects to where nothing may be sent: \(error.message)"
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
        if redirect.leavesOrigin, request.isBodySensitive, redirect.method == request.method {
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

extension HTTPRequest {
    /// Becomes the request of a hop.
    fileprivate mutating func follow(_ redirect: Redirect) {
        url = redirect.to
        if redirect.method != method {
            method = redirect.method
            body = .none
            isBodySensitive = false
            headers.removeAll(where: \.isAboutContent)
        }
        if redirect.leavesOrigin { leaveOrigin() }
    }

    /// Takes away what is for the first origin only, when the request goes to another one.
    package mutating func leaveOrigin() {
        headers.removeAll { $0.isSensitive || $0.isCredential || $0.isNamed("Host") }
        options.credentials.forgetPassword()
        options.tls.clientCertificate = nil
        options.tls.clientKey = nil
        // They lead to the first origin, wherever that is.
        connectTo = nil
        options.unixSocket = nil
    }

    /// Why the body is not sent to where a redirect leads.
    fileprivate func bodyMustStay(_ redirect: Redirect, _ target: Origin) -> String {
        "\(place) redirected the request to another origin, \(target), with status \(redirect.status); "
            + "the request's body contains a secret, so it was not sent there. If that origin may receive it, "
            + "use its address in the manifest"
    }

    /// The host and port, for messages.
    fileprivate var place: String {
        (try? Origin(ofURL: url))?.destination ?? "the server"
    }
}

extension TransferOptions.Cookies {
    /// The cookies of a request to an origin that a request to another origin led to. A jar tells hosts apart, but not the
    /// ports and schemes of one host.
    package func after(leaving first: Origin, for next: Origin) -> TransferOptions.Cookies {
        self == .off || first == next || first.endpoint.host != next.endpoint.host ? self : .separate(next)
    }
}

extension HTTPField {
    /// Whether the field says something about a body that is not there any more (section 15.4, item 2.5).
    fileprivate var isAboutContent: Bool {
        name.lowercased().hasPrefix("content-")
            || ["Digest", "Expect", "Last-Modified", "Trailer"].contains(where: isNamed)
    }

    /// Whether the field is for the first origin only, even if nobody marked it.
    fileprivate var isCredential: Bool {
        ["Authorization", "Proxy-Authorization", "Cookie"].contains(where: isNamed)
    }
}

extension TransferOptions.Credentials {
    /// A netrc file knows which host its passwords are for; a password by itself does not.
    fileprivate mutating func forgetPassword() {
        if case .digest = self { self = .none }
    }
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
    /// The status that told of it: 301, 302, 303, 307 or 308.
    package var status: Int
    /// The URL that was asked.
    package var from: String
    /// The URL that is asked next.
    package var to: String
    /// The method of the next request.
    package var method: String
    /// Whether the next request goes to another origin, and so without credentials.
    package var leavesOrigin: Bool
    /// The `Set-Cookie` fields of the response that led there.
    package var cookies: [String] = []
    /// The HTTP version of that response.
    package var httpVersion: String
    /// Its header fields.
    package var headers: HTTPFields
    /// How long the parts of its transfer took.
    package var timings: TransferTimings
    /// The header fields of the next request.
    package var nextHeaders: [HTTPField] = []
}
