import CLibCurl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The OpenSSL that is in the process because libcurl is linked with it.
enum OpenSSL {
    /// The address of a function; `nil` where libcurl has another library for TLS. The caller knows its type from OpenSSL's
    /// manual.
    static func function(_ name: String) -> UnsafeMutableRawPointer? {
        dlsym(dlopen(nil, RTLD_NOW), name)
    }
}

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

/// Reads which protocol the ends of a TLS connection agreed on (ALPN, RFC 7301).
struct TLSProtocol {
    private typealias SelectedProtocol =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>) ->
        Void

    private let selectedProtocol: SelectedProtocol

    /// The function of the OpenSSL in this process; nil where libcurl has another library for TLS.
    static let openSSL = TLSProtocol()

    private init?() {
        guard let function = OpenSSL.function("SSL_get0_alpn_selected") else { return nil }
        // The type is that of OpenSSL's manual page.
        selectedProtocol = unsafeBitCast(function, to: SelectedProtocol.self)
    }

    /// Whether the connection that a handle uses carries HTTP/2; nil where it cannot be told.
    func isHTTP2(_ easy: UnsafeMutableRawPointer) -> Bool? {
        var info: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard waybill_easy_get_session(easy, &info) == CURLE_OK, let info,
            info.pointee.backend == CURLSSLBACKEND_OPENSSL, let internals = info.pointee.internals
        else { return nil }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        selectedProtocol(OpaquePointer(internals), &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }
}
