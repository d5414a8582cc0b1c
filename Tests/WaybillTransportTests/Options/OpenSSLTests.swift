import Testing

@testable import WaybillTransport

/// Which TLS library's functions are called in addition to libcurl's.
struct OpenSSLTests {
    @Test(arguments: [
        ("OpenSSL/3.0.20", true), ("OpenSSL/3.5.9 (GnuTLS/3.8.9)", true), ("quictls/3.3.0", true),
        ("LibreSSL/3.3.6", false), ("(SecureTransport) LibreSSL/3.3.6", false), ("BoringSSL", false),
        ("AWS-LC/1.46.1", false), ("GnuTLS/3.7.9", false), ("(OpenSSL/3.0.20) GnuTLS/3.7.9", false),
    ])
    func `only functions of OpenSSL are called, not those of the same names`(version: String, isOpenSSL: Bool) {
        #expect(OpenSSL.isOpenSSL(version) == isOpenSSL)
    }

    @Test func `the functions are found where libcurl is`() {
        #expect((OpenSSL.linked != nil) == LibCurl.tlsVersion.map(OpenSSL.isOpenSSL))
    }
}
