import CLibCurl
import WaybillPlatform

/// The OpenSSL library with which libcurl is linked.
enum OpenSSL {
    /// The address of a function; nil if libcurl uses another TLS library. The caller knows its type from OpenSSL's
    /// manual.
    static func function(_ name: String) -> UnsafeMutableRawPointer? {
        dlsym(dlopen(nil, RTLD_NOW), name)
    }
}

/// Checks whether the peer has ended a TLS connection with `close_notify` (RFC 8446, section 6.1).
///
/// Without it, anyone on the network path could have truncated a body that ends with its connection. libcurl does not
/// distinguish the two cases.
struct TLSEnd {
    private typealias ShutdownState = @convention(c) (OpaquePointer) -> Int32

    // SSL_RECEIVED_SHUTDOWN
    private static let received: Int32 = 2

    private let shutdownState: ShutdownState

    /// The function of the OpenSSL in this process; nil if libcurl uses another TLS library.
    static let openSSL = TLSEnd()

    private init?() {
        guard let function = OpenSSL.function("SSL_get_shutdown") else { return nil }
        // The type is from OpenSSL's manual page.
        shutdownState = unsafeBitCast(function, to: ShutdownState.self)
    }

    /// Whether `close_notify` was received on the connection of a handle; nil if unknown.
    func isAnnounced(to easy: UnsafeMutableRawPointer) -> Bool? {
        var info: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard waybill_easy_get_session(easy, &info) == CURLE_OK, let info,
            info.pointee.backend == CURLSSLBACKEND_OPENSSL, let internals = info.pointee.internals
        else { return nil }
        return shutdownState(OpaquePointer(internals)) & Self.received != 0
    }
}

/// Reads which protocol was negotiated for a TLS connection (ALPN, RFC 7301).
struct TLSProtocol {
    private typealias SelectedProtocol =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>) ->
        Void

    private let selectedProtocol: SelectedProtocol

    /// The function of the OpenSSL in this process; nil if libcurl uses another TLS library.
    static let openSSL = TLSProtocol()

    private init?() {
        guard let function = OpenSSL.function("SSL_get0_alpn_selected") else { return nil }
        // The type is from OpenSSL's manual page.
        selectedProtocol = unsafeBitCast(function, to: SelectedProtocol.self)
    }

    /// Whether the connection of a handle uses HTTP/2; nil if unknown.
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
