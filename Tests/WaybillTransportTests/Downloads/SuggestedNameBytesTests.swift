import Testing

@testable import WaybillTransport

struct SuggestedNameBytesTests {
    @Test(arguments: [[0xE9], [0xC3, 0xA9]] as [[UInt8]])
    func `a name in ISO 8859-1 or in UTF-8 is read`(letter: [UInt8]) {
        let start = Array("HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=\"".utf8)
        let head = ResponseHead(start + letter + Array(".html\"\r\n\r\n".utf8))
        #expect(SuggestedName.of(head.fields) == "\u{E9}.html")
    }
}
