import CLibCurl

/// Reads the certificates that authenticate the peer of a connection, with OpenSSL's own functions.
///
/// libcurl provides them only in the handshake, and a reused connection had its handshake in another transfer. OpenSSL
/// is in the process because libcurl is linked with it.
struct PeerCertificates {
    private typealias PeerCertificate = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias VerifiedChain = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias VerifyResult = @convention(c) (OpaquePointer) -> Int
    private typealias StackCount = @convention(c) (OpaquePointer) -> Int32
    private typealias StackValue = @convention(c) (OpaquePointer, Int32) -> OpaquePointer?
    private typealias Place = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
    private typealias Encode = @convention(c) (OpaquePointer, Place?) -> Int32
    private typealias Release = @convention(c) (OpaquePointer) -> Void

    private let peerCertificate: PeerCertificate
    private let verifiedChain: VerifiedChain
    private let verifyResult: VerifyResult
    private let stackCount: StackCount
    private let stackValue: StackValue
    private let encode: Encode
    private let release: Release

    /// The functions of the OpenSSL in this process; nil if libcurl uses another TLS library.
    static let openSSL = PeerCertificates()

    private init?() {
        // The name since OpenSSL 3, and the one before.
        let peerCertificate =
            OpenSSL.function("SSL_get1_peer_certificate") ?? OpenSSL.function("SSL_get_peer_certificate")
        guard let peerCertificate,
            let verifiedChain = OpenSSL.function("SSL_get0_verified_chain"),
            let verifyResult = OpenSSL.function("SSL_get_verify_result"),
            let stackCount = OpenSSL.function("OPENSSL_sk_num"),
            let stackValue = OpenSSL.function("OPENSSL_sk_value"),
            let encode = OpenSSL.function("i2d_X509"),
            let release = OpenSSL.function("X509_free")
        else { return nil }
        // The types are from OpenSSL's manual pages, and are the same since version 1.1.
        self.peerCertificate = unsafeBitCast(peerCertificate, to: PeerCertificate.self)
        self.verifiedChain = unsafeBitCast(verifiedChain, to: VerifiedChain.self)
        self.verifyResult = unsafeBitCast(verifyResult, to: VerifyResult.self)
        self.stackCount = unsafeBitCast(stackCount, to: StackCount.self)
        self.stackValue = unsafeBitCast(stackValue, to: StackValue.self)
        self.encode = unsafeBitCast(encode, to: Encode.self)
        self.release = unsafeBitCast(release, to: Release.self)
    }

    /// The certificates of the connection that a handle is about to use; nil if they are unknown.
    func certificates(of easy: UnsafeMutableRawPointer) -> [Certificate]? {
        var info: UnsafeMutablePointer<curl_tlssessioninfo>?
        guard waybill_easy_get_session(easy, &info) == CURLE_OK, let info,
            info.pointee.backend == CURLSSLBACKEND_OPENSSL, let internals = info.pointee.internals
        else { return nil }
        let session = OpaquePointer(internals)
        guard let leaf = peerCertificate(session) else { return nil }
        defer { release(leaf) }
        var shown = [certificate(leaf)]
        // The server has proven to have the key of its own certificate. It can send any others along with it, so those
        // count only as a part of the verified chain.
        if verifyResult(session) == 0, let chain = verifiedChain(session) {
            for index in 0..<stackCount(chain) { shown.append(stackValue(chain, index).flatMap(certificate)) }
        }
        return shown.compactMap(\.self)
    }

    private func certificate(_ pointer: OpaquePointer) -> Certificate? {
        let count = Int(encode(pointer, nil))
        guard count > 0 else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var end = buffer.baseAddress
            filled = max(0, Int(encode(pointer, &end)))
        }
        return Certificate(der: bytes)
    }
}
