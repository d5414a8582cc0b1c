/// The faults of a server, for parameterised tests. Each reads a request first, unless stated otherwise.
package enum ServerFault: String, CaseIterable, Sendable {
    /// Accepts and sends nothing, until the client ends the connection.
    case silent
    /// Sends the first bytes of a header, then nothing.
    case stallsInHeader
    /// Sends the fields of a header at one byte per second.
    case dripsHeader
    /// Sends half of the body, then nothing.
    case stallsInBody
    /// Closes the connection without a response.
    case closesWithoutResponse
    /// Resets the connection before a response.
    case resetsBeforeResponse
    /// Resets the connection in the middle of the header.
    case resetsInHeader
    /// Resets the connection in the middle of the body.
    case resetsInBody
    /// Closes the connection after less than `Content-Length`.
    case shortBody
    /// Sends `zz` as the length of a chunk.
    case brokenChunks
    /// Sends bytes that are not gzip as gzip.
    case brokenGzip
    /// Names an unknown coding.
    case unknownCoding
    /// Sends a body without end.
    case endlessBody
    /// Sends 100,000 header fields.
    case manyFields
    /// Sends one header field of 10 MB.
    case longField
    /// Sends header fields without end.
    case endlessHeader
    /// Sends informational responses without end.
    case endlessInformational
    /// Sends trailers without end.
    case endlessTrailers
    /// Speaks another protocol.
    case notHTTP

    /// The script of a server with this fault.
    package var script: @Sendable (LoopbackConnection) -> Void {
        { connection in
            connection.readRequest()
            misbehave(on: connection)
        }
    }

    private func misbehave(on connection: LoopbackConnection) {
        switch self {
        case .silent:
            connection.waitForEnd()
        case .stallsInHeader:
            connection.write("HTTP/1.1 200 OK\r\nContent-")
            connection.waitForEnd()
        case .dripsHeader:
            connection.write("HTTP/1.1 200 OK\r\n")
            for byte in "X-Slow: \(String(repeating: "x", count: 1000))\r\n\r\n".utf8 {
                guard connection.write([byte]), connection.pass(milliseconds: 1000) else { return }
            }
        case .stallsInBody:
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
            connection.waitForEnd()
        case .closesWithoutResponse:
            connection.close()
        case .resetsBeforeResponse:
            connection.reset()
        case .resetsInHeader:
            connection.write("HTTP/1.1 200 OK\r\nContent-")
            connection.reset()
        case .resetsInBody:
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
            connection.reset()
        case .shortBody:
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345")
        case .brokenChunks:
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nhello\r\n")
            connection.waitForEnd()
        case .brokenGzip:
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\nnot gzipped.")
            connection.waitForEnd()
        case .unknownCoding:
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: waybill\r\nContent-Length: 5\r\n\r\nhello")
            connection.waitForEnd()
        case .endlessBody:
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            connection.repeatUntilEnd(String(repeating: "x", count: 8192))
        case .manyFields:
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
            for number in 0..<100_000 where !connection.write("X-\(number): y\r\n") { return }
            connection.write("\r\n")
            connection.waitForEnd()
        case .longField:
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Long: ")
            connection.write([UInt8](repeating: UInt8(ascii: "y"), count: 10_000_000))
            connection.write("\r\n\r\n")
            connection.waitForEnd()
        case .endlessHeader:
            connection.write("HTTP/1.1 200 OK\r\n")
            connection.repeatUntilEnd("X-Flood: of fields\r\n")
        case .endlessInformational:
            connection.repeatUntilEnd("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        case .endlessTrailers:
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
            connection.repeatUntilEnd("X-Flood: of trailers\r\n")
        case .notHTTP:
            connection.write("220 mail.example ESMTP\r\n")
            connection.waitForEnd()
        }
    }
}

extension LoopbackConnection {
    fileprivate func repeatUntilEnd(_ text: String) {
        let bytes = Array(text.utf8)
        while write(bytes) {}
    }
}
