/// A request as a server received it.
package struct ReceivedRequest: Sendable, Equatable {
    /// The bytes of the header, with its line breaks and the empty line at its end.
    package let rawHead: [UInt8]
    /// The bytes of the body, according to `Content-Length`.
    package let body: [UInt8]
    /// The number of the connection on which it arrived, from 0 in the order of acceptance.
    package let connection: Int

    init(rawHead: [UInt8], body: [UInt8], connection: Int) {
        self.rawHead = rawHead
        self.body = body
        self.connection = connection
    }

    /// The header as a string.
    package var head: String { String(decoding: rawHead, as: UTF8.self) }
    /// The method of the request line.
    package var method: String { requestLine(0) }
    /// The path and query of the request line.
    package var target: String { requestLine(1) }

    /// The values of the fields with this name, without regard to case.
    package func values(named name: String) -> [String] {
        Self.values(named: name, in: rawHead)
    }

    static func values(named name: String, in rawHead: [UInt8]) -> [String] {
        String(decoding: rawHead, as: UTF8.self).split(separator: "\r\n").dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
                return nil
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return String(value)
        }
    }

    private func requestLine(_ index: Int) -> String {
        let parts = head.prefix { $0 != "\r\n" }.split(separator: " ")
        return parts.indices.contains(index) ? String(parts[index]) : ""
    }
}
