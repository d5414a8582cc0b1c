import Synchronization

/// Caches the parsed scheme and authority of URLs: many requests go to few origins, and parsing a URL takes longer than
/// all other checks of a request.
final class KnownOrigins: Sendable {
    typealias Parts = (isSecure: Bool, endpoint: SocketEndpoint)

    /// The cache of the process.
    static let shared = KnownOrigins()

    /// The maximum number of entries. When it is reached, all are discarded.
    private static let limit = 256
    /// Longer URLs are left to the parser, which has a limit.
    private static let longestURL = 64 << 10

    private struct State {
        var known: [String: Parts] = [:]
        /// The entry that was used last, which is usually needed again.
        var latest: (beginning: [UInt8], parts: Parts)?
    }

    private let state = Mutex(State())

    /// The parts of a URL. Throws what `OriginParser` does.
    func parts(of url: String) throws(TransportFailure) -> Parts {
        var url = url
        let (beginning, known) = url.withUTF8 { bytes -> (String?, Parts?) in
            guard let beginning = Self.beginning(of: bytes) else { return (nil, nil) }
            return state.withLock { state in
                if let latest = state.latest, latest.beginning.elementsEqual(beginning) { return (nil, latest.parts) }
                let text = String(decoding: beginning, as: UTF8.self)
                guard let parts = state.known[text] else { return (text, nil) }
                state.latest = (Array(beginning), parts)
                return (text, parts)
            }
        }
        if let known { return known }
        let parts = try OriginParser.parts(of: url)
        guard let beginning else { return parts }
        state.withLock { state in
            if state.known.count == Self.limit { state.known.removeAll() }
            state.known[beginning] = parts
        }
        return parts
    }

    /// The scheme and authority of a URL; nil if they are missing, or if the parser might reject the rest.
    private static func beginning(of url: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard url.count <= longestURL, url.allSatisfy({ (0x21...0x7E).contains($0) }),
            let colon = url.firstIndex(of: UInt8(ascii: ":")), url[colon...].starts(with: "://".utf8)
        else { return nil }
        let end = url[(colon + 3)...].firstIndex {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        return UnsafeBufferPointer(rebasing: url[..<(end ?? url.endIndex)])
    }
}
