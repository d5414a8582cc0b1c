import CLibCurl
import WaybillPlatform

/// What the OpenSSL with which libcurl is linked knows of the TLS connection of a handle, and libcurl does not report.
struct OpenSSL {
    // SSL_RECEIVED_SHUTDOWN
    private static let receivedShutdown: Int32 = 2

    private let functions: waybill_openssl

    /// The OpenSSL that libcurl is linked with; nil if libcurl uses another TLS library.
    static let linked = find()

    private static func find() -> OpenSSL? {
        // LibreSSL and BoringSSL have functions of the same names, and libcurl reports them as the same backend.
        guard let version = LibCurl.tlsVersion, isOpenSSL(version),
            let libcurl = waybill_open_library(waybill_libcurl_address())
        else { return nil }
        return waybill_find_openssl(libcurl).map { OpenSSL(functions: $0.pointee) }
    }

    /// Whether the name that libcurl reports is OpenSSL's, or that of its fork with QUIC.
    static func isOpenSSL(_ version: String) -> Bool {
        version.hasPrefix("OpenSSL/") || version.hasPrefix("quictls/")
    }

    /// The `SSL` of the connection that a handle uses.
    private func session(of easy: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        var info: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard waybill_easy_get_session(easy, &info) == CURLE_OK, let info,
            info.pointee.backend == CURLSSLBACKEND_OPENSSL
        else { return nil }
        return info.pointee.internals
    }

    /// Whether the peer has ended the connection with `close_notify` (RFC 8446, section 6.1); nil if unknown.
    ///
    /// Without it, anyone on the network path could have truncated a body that ends with its connection. libcurl does not
    /// distinguish the two cases.
    func isEndAnnounced(to easy: UnsafeMutableRawPointer) -> Bool? {
        session(of: easy).map { functions.shutdown_state($0) & Self.receivedShutdown != 0 }
    }

    /// Whether the connection uses HTTP/2, according to the protocol that was negotiated (ALPN, RFC 7301); nil if unknown.
    func isHTTP2(_ easy: UnsafeMutableRawPointer) -> Bool? {
        guard let session = session(of: easy) else { return nil }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        functions.selected_protocol(session, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    /// The certificates that authenticate the peer of the connection; nil if they are unknown.
    ///
    /// libcurl provides them only in the handshake, and a reused connection had its handshake in another transfer.
    func certificates(of easy: UnsafeMutableRawPointer) -> [Certificate]? {
        guard let session = session(of: easy), let leaf = functions.peer_certificate(session) else { return nil }
        defer { functions.free_certificate(leaf) }
        var shown = [certificate(leaf)]
        // The server has proven to have the key of its own certificate. It can send any others along with it, so those
        // count only as a part of the verified chain.
        if functions.verify_result(session) == 0, let chain = functions.verified_chain(session) {
            for index in 0..<functions.stack_count(chain) {
                shown.append(functions.stack_value(chain, index).flatMap(certificate))
            }
        }
        return shown.compactMap(\.self)
    }

    private func certificate(_ pointer: UnsafeMutableRawPointer) -> Certificate? {
        let count = Int(functions.encode_certificate(pointer, nil))
        guard count > 0 else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var end = buffer.baseAddress
            filled = max(0, Int(functions.encode_certificate(pointer, &end)))
        }
        return Certificate(der: bytes)
    }
}
