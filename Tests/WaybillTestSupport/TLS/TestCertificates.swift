/// A certificate authority and its certificates, created by the `openssl` command in a temporary folder.
package struct TestCertificates: Sendable {
    /// A certificate of the authority.
    package enum Kind: String, Sendable, CaseIterable {
        /// For 127.0.0.1 and localhost.
        case valid
        /// The same, but expired.
        case expired
        /// For other.example only.
        case wrongHost
        /// For 127.0.0.1 and localhost, but signed by itself.
        case selfSigned
        /// For a client.
        case client
    }

    private let folder: TemporaryFolder

    /// Creates all certificates.
    package init() async throws {
        folder = TemporaryFolder()
        let names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
        let new = "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        let sign = "openssl x509 -req -CA ca.pem -CAkey ca.key -copy_extensions copy"
        let script = """
            set -e
            \(new) -x509 -days 30 -subj '/CN=Waybill tests' -keyout ca.key -out ca.pem
            \(new) -x509 -days 30 -subj /CN=localhost -addext '\(names)' -keyout selfSigned.key -out selfSigned.pem
            \(new) -subj /CN=localhost -addext '\(names)' -keyout valid.key -out valid.csr
            \(sign) -in valid.csr -days 30 -out valid.pem
            cp valid.key expired.key
            # OpenSSL 3.4 and newer refuse a negative number of days; older versions do not know the dates.
            \(sign) -in valid.csr -not_before 20200101000000Z -not_after 20200102000000Z -out expired.pem 2>/dev/null ||
                \(sign) -in valid.csr -days -1 -out expired.pem
            \(new) -subj /CN=other -addext subjectAltName=DNS:other.example -keyout wrongHost.key -out wrongHost.csr
            \(sign) -in wrongHost.csr -days 30 -out wrongHost.pem
            \(new) -subj /CN=client -keyout client.key -out client.csr
            \(sign) -in client.csr -days 30 -out client.pem
            for name in ca valid selfSigned wrongHost; do openssl x509 -in $name.pem -outform DER -out $name.cer; done
            cat client.pem client.key > client-both.pem
            openssl pkcs12 -export -in client.pem -inkey client.key -passout pass: -out client.p12
            for name in ca valid; do
                openssl x509 -in $name.pem -noout -pubkey | openssl pkey -pubin -outform DER |
                    openssl dgst -sha256 -binary | openssl base64 -A > $name.pin
                openssl dgst -sha256 -binary $name.cer | openssl base64 -A > $name.digest
            done
            chmod a+r *
            """
        let result = try await Command.run("/bin/sh", ["-c", script], in: folder.path)
        guard result.status == 0 else { throw Failure(words: result.errorText) }
    }

    /// A file by its name, such as `ca.pem`, `valid.cer` or `client.key`.
    package func file(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// The SHA-256 digest of the public key of `ca` or `valid`, in Base64, according to OpenSSL.
    package func pin(_ name: String) -> String { folder.read("\(name).pin") ?? "" }

    /// The SHA-256 digest of the whole certificate of `ca` or `valid`, in Base64, according to OpenSSL.
    package func digest(_ name: String) -> String { folder.read("\(name).digest") ?? "" }

    /// The directives with which nginx uses a certificate.
    package func directives(_ kind: Kind) -> String {
        "ssl_certificate \(file(kind.rawValue)).pem; ssl_certificate_key \(file(kind.rawValue)).key;"
    }

    private struct Failure: Error {
        let words: String
    }
}
