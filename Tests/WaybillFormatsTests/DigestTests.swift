import Testing
import WaybillFormats

@Suite(.timeLimit(.minutes(1))) struct DigestTests {
    @Test(
        "the digests of RFC 1321, A.5, and FIPS 180-4's examples",
        arguments: [
            (Digest.Algorithm.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
            (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
            (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha512, "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ]
    ) func knownDigests(_ algorithm: Digest.Algorithm, _ text: String, _ expected: String) {
        #expect(Hexadecimal.encode(Digest.value(of: Array(text.utf8), algorithm)) == expected)
    }

    @Test("bytes in pieces have the digest of the whole", arguments: Digest.Algorithm.allCases)
    func pieces(_ algorithm: Digest.Algorithm) {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        var digest = Digest(algorithm)
        for start in stride(from: 0, to: bytes.count, by: 37) {
            digest.update(Array(bytes[start..<min(start + 37, bytes.count)]))
            #expect(digest.value == Digest.value(of: Array(bytes[..<min(start + 37, bytes.count)]), algorithm))
        }
        digest.update([])
        #expect(digest.value == Digest.value(of: bytes, algorithm))
    }

    @Test("the codes of RFC 4231, cases 1, 2 and 6")
    func authenticationCodes() {
        func code(_ text: String, _ key: [UInt8]) -> String {
            Hexadecimal.encode(Digest.hmacSHA256(of: Array(text.utf8), key: key))
        }
        #expect(
            code("Hi There", [UInt8](repeating: 0x0B, count: 20))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        )
        #expect(
            code("what do ya want for nothing?", Array("Jefe".utf8))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        #expect(
            code("Test Using Larger Than Block-Size Key - Hash Key First", [UInt8](repeating: 0xAA, count: 131))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    }
}
