import Synchronization

/// Remembers what the beginnings of URLs say, up to where the path begins: many requests go to few origins, and to parse
/// a URL takes longer than all else that is checked of a request.
final class KnownOrigins: Sendable {
    typealias Parts = (isSecure: Bool, endpoint: SocketEndpoint)

    /// Those of the process.
    static let shared = KnownOrigins()

    /// How many are remembered before all are forgotten.
    private static let limit = 256
    /// URLs of more bytes are left to the parser, which has a limit.
    private static let longestURL = 64 << 10

    private let known = Mutex<[String: Parts]>([:])

    /// The parts of a URL. Throws what `OriginParser` does.
    func parts(of url: String) throws(TransportFailure) -> Parts {
        guard let beginning = Self.beginning(of: url) else { return try OriginParser.parts(of: url) }
        if let parts = known.withLock({ $0[beginning] }) { return parts }
        let parts = try OriginParser.parts(of: url)
        known.withLock { known in
            if known.count == Self.limit { known.removeAll() }
            known[beginning] = parts
        }
        return parts
    }

    /// The scheme and authority of a URL; nil where the rest may be what the parser refuses, or nothing is before it.
    private static func beginning(of url: String) -> String? {
        var url = url
        return url.withUTF8 { bytes in
            guard bytes.count <= longestURL, bytes.allSatisfy({ (0x21...0x7E).contains($0) }),
                let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
            else { return nil }
            let end = bytes[(colon + 3)...].firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
            }
            return String(decoding: bytes[..<(end ?? bytes.endIndex)], as: UTF8.self)
        }
    }
}
