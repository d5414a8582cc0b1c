import Testing
import WaybillFormats

@testable import WaybillTransport

struct ServerCertificateTests {
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }

    @Test(
        arguments: [
            (0x17, "261121052703Z", "2026-11-21T05:27:03.000Z"), (0x17, "501121052703Z", "1950-11-21T05:27:03.000Z"),
            (0x18, "20261121052703Z", "2026-11-21T05:27:03.000Z"),
            (0x18, "99991231235959Z", "2262-04-11T23:47:16.854Z"),
            (0x18, "20261321052703Z", nil),
        ] as [(UInt8, String, String?)]
    )
    func `a certificate may be valid until after 2262`(tag: UInt8, text: String, expiresAt: String?) throws {
        let name = Self.element(0x30, [])
        let end = Self.element(tag, Array(text.utf8))
        let fields = Self.element(0x30, name + name + name + Self.element(0x30, name + end) + name)
        let certificate = ServerCertificate(fields: try #require(DERElement(fields[...])).children[...])
        #expect(certificate?.expiresAt.description == expiresAt)
    }
}
