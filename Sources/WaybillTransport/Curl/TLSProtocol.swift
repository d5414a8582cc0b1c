import CLibCurl

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
