import Testing
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

/// Netrc files, as curl reads them.
@Suite(.timeLimit(.minutes(5))) struct NetrcTests {
    @Test(arguments: [
        ("machine a login u password p", "a", "u:p"), ("machine a login u password p", "A", "u:p"),
        ("machine a login u password p", "b", nil), ("machine a\n\tlogin u\n\tpassword p\n", "a", "u:p"),
        ("machine a password p login u", "a", "u:p"), ("machine a login u password p\ndefault login d", "b", "d:"),
        ("default login d password e\nmachine a login u password p", "a", "u:p"),
        ("# machine a login x\nmachine a login u password p#1 # end", "a", "u:p#1"),
        (#"machine a login "u v" password "p\"\\\t""#, "a", "u v:p\"\\\t"),
        ("macdef m\nmachine a login x\n\nmachine a login u password p", "a", "u:p"),
        ("machine a login u account x password p", "a", "u:p"), ("machine a login u machine b login v", "b", "v:"),
        ("login u password p", "a", nil), ("machine", "a", nil), ("", "a", nil),
    ])
    func `a host has the credentials of its first entry`(text: String, host: String, credentials: String?) {
        let entry = Netrc(path: "netrc", text: text).entry(of: host, orDefault: true)
        #expect(entry.map { "\($0.login):\($0.password)" } == credentials)
    }

    @Test func `a file that is missing or too large is not read`() throws {
        let folder = TemporaryFolder()
        #expect(throws: FileError(path: "/nowhere", reason: .notFound)) { try Netrc(reading: LocalFile("/nowhere")) }
        let large = folder.write([UInt8](repeating: 0x20, count: (1 << 20) + 1), to: "large")
        #expect(throws: FileError(path: large, reason: .tooLarge(limit: 1 << 20))) {
            try Netrc(reading: LocalFile(large))
        }
    }
}
