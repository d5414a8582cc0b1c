/// An HTTP/2 frame (RFC 9113, section 4.1), for scripts of servers.
package struct HTTP2Frame: Sendable {
    /// The type of a frame.
    package enum Kind: UInt8, Sendable {
        case data = 0
        case headers = 1
        case priority = 2
        case reset = 3
        case settings = 4
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        /// A type that no RFC defines.
        case unknown = 0x77
    }

    /// The bytes of the frame.
    package let bytes: [UInt8]

    /// Creates a frame on a stream; 0 is the connection.
    package init(_ kind: Kind, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) {
        let length = payload.count
        bytes =
            [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), kind.rawValue, flags, 0, 0, 0, stream]
            + payload
    }

    /// An empty SETTINGS frame.
    package static let settings = HTTP2Frame(.settings)
    /// The header of a response with status 200, without fields.
    package static let ok = HTTP2Frame(.headers, flags: 4, stream: 1, [0x88])

    /// The GOAWAY frame of a server that has processed the streams up to `lastStream`.
    package static func goAway(lastStream: UInt8, error: UInt8) -> HTTP2Frame {
        HTTP2Frame(.goAway, [0, 0, 0, lastStream, 0, 0, 0, error])
    }
}

extension LoopbackConnection {
    /// Sends frames.
    package func write(_ frames: [HTTP2Frame]) {
        write(frames.flatMap(\.bytes))
    }

    /// Reads the start of an HTTP/2 connection without TLS, up to the first request. Returns false if the client has
    /// ended it before.
    package func readHTTP2Request() -> Bool {
        guard read(count: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.count) != nil else { return false }
        while let head = read(count: 9) {
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard read(count: length) != nil else { return false }
            if head[3] == HTTP2Frame.Kind.headers.rawValue { return true }
        }
        return false
    }
}
