import CLibCurl

/// Tells whether the other end of a TLS connection has announced its end by `close_notify` (RFC 8446, section 6.1).
///
/// Without it, anybody on the way could have cut short a body that ends with its connection. libcurl treats both ends alike.
struct TLSEnd {
    private typealias ShutdownState = @convention(c) (OpaquePointer) -> Int32

    // SSL_RECEIVED_SHUTDOWN
    private static let received: Int32 = 2

    private let shutdownState: ShutdownState

    /// The function of the OpenSSL in this process; nil where libcurl has another library for TLS.
    static let openSSL = TLSEnd()

    private init?() {
        guard let function = OpenSSL.function("SSL_get_shutdown") else { return nil }
        // The type is that of OpenSSL's manual page.
        shutdownState = unsafeBitCast(function, to: ShutdownState.self)
    }

    /// Whether `close_notify` has come on the connection that a handle uses; nil where it cannot be told.
    func isAnnounced(to easy: UnsafeMutableRawPointer) -> Bool? {
        var info: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard waybill_easy_get_session(easy, &info) == CURLE_OK, let info,
            info.pointee.backend == CURLSSLBACKEND_OPENSSL, let internals = info.pointee.internals
        else { return nil }
        return shutdownState(OpaquePointer(internals)) & Self.received != 0
    }
}
