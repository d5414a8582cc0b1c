package import WaybillDiagnostics

/// The version of HTTP.
package enum HTTPVersion: String, Sendable, CaseIterable {
    /// HTTP/2 where TLS agrees on it, else HTTP/1.1.
    case auto
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2, by agreement in TLS.
    case http2 = "2"
    /// HTTP/2 at once, also without TLS (RFC 9113, section 3.3).
    case http2PriorKnowledge = "2-prior-knowledge"
}

/// The proxy of requests.
package enum ProxySetting: Sendable {
    /// None.
    case none
    /// What the usual environment variables say.
    case environment
    /// A URL.
    case url(ScalarTemplate)
}

/// What the network must be.
package struct NetworkRequirement: Sendable {
    /// The interface that connections leave by.
    package var interface: Spanned<String>?
    /// Whether a metered network, such as a mobile one, will do.
    package var allowsMetered: Bool
}

/// What happens to cookies.
package enum CookiePolicy: Sendable {
    /// They are kept in the jar of the run.
    case on
    /// They are neither kept nor sent.
    case off
    /// They are read from and written to a file in Netscape's format.
    case jar(Spanned<String>)
}

/// The sort of traffic that packets are marked as (RFC 4594).
package enum TrafficClass: String, Sendable, CaseIterable {
    case `default`, background, responsive, video, voice
}
