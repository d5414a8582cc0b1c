import CLibCurl
import WaybillJSON
import WaybillRuntime

/// The pins of a request, one of which the server must match.
struct PinSet: Sendable {
    private var certificates: Set<[UInt8]> = []
    private var publicKeys: Set<[UInt8]> = []

    private static let maximumFileBytes = 1 << 20

    /// Reads the files of pins. Throws for a file without a certificate and for an invalid digest.
    init(_ pins: [TransferOptions.TLS.Pin]) throws(TransportFailure) {
        for pin in pins {
            switch pin {
            case .publicKey(let digest):
                publicKeys.insert(try Self.bytes(of: digest))
            case .publicKeyOf(let file):
                publicKeys.formUnion(try Self.certificates(in: file).map(\.publicKeyDigest))
            case .certificateDigest(let digest):
                certificates.insert(try Self.bytes(of: digest))
            case .certificate(let file):
                certificates.formUnion(try Self.certificates(in: file).map(\.digest))
            }
        }
    }

    /// Whether one of these certificates or its public key is pinned.
    func contains(anyOf shown: [Certificate]) -> Bool {
        shown.contains { certificates.contains($0.digest) || publicKeys.contains($0.publicKeyDigest) }
    }

    private static func bytes(of digest: String) throws(TransportFailure) -> [UInt8] {
        guard let bytes = Base64.decode(digest), bytes.count == 32 else {
            throw .badPin("the pin \(digest) is not a SHA-256 digest in Base64")
        }
        return bytes
    }

    private static func certificates(in file: String) throws(TransportFailure) -> [Certificate] {
        let found: [Certificate]
        do {
            found = Certificate.all(in: try LocalFile(file).read(limit: maximumFileBytes))
        } catch {
            throw .badPin("the certificate \(file) cannot be read: \(error.message)")
        }
        guard !found.isEmpty else { throw .badPin("\(file) contains no certificate in PEM or DER format") }
        return found
    }
}

extension TransportFailure {
    fileprivate static func badPin(_ message: String) -> TransportFailure {
        TransportFailure(kind: .tls, code: Int32(CURLE_SSL_CERTPROBLEM.rawValue), message: message)
    }
}
