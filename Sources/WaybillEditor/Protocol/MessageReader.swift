import WaybillJSON

/// Reads the messages of a client: JSON in UTF-8.
package struct MessageReader {
    /// How the start of a message is found.
    package enum Framing: Sendable {
        /// Header fields precede the message: the base protocol of LSP 3.17.
        case headers
        /// Each message is a line: the transport `stdio` of the Model Context Protocol.
        case lines
    }

    /// The maximum size of a message with header fields in bytes. A larger one is skipped.
    static let maximumBody = 128 << 20
    /// The maximum size of a line in bytes. A longer one is skipped.
    private static let maximumLine = 4 << 20
    /// The maximum size of the header fields of a message in bytes.
    private static let maximumHeader = 8 << 10

    /// What was read.
    package enum Result {
        case message(ClientMessage)
        /// A body that cannot be read. The next message can.
        case invalid(ResponseError)
        /// The start of the next message cannot be found.
        case broken(ResponseError)
        /// The client has closed the stream.
        case end
    }

    private let framing: Framing
    private let source: () -> [UInt8]
    private var buffer: ArraySlice<UInt8> = []

    /// Creates a reader.
    ///
    /// - Parameter source: Returns the next bytes of the stream; none at its end.
    package init(_ framing: Framing, _ source: @escaping () -> [UInt8]) {
        (self.framing, self.source) = (framing, source)
    }

    /// Reads the next message. Blocks until it is complete.
    package mutating func next() -> Result {
        switch framing {
        case .headers: nextWithHeaders()
        case .lines: nextOfLines()
        }
    }

    private mutating func nextOfLines() -> Result {
        while true {
            if let line = nextLine(limit: Self.maximumLine) {
                if line.contains(where: { $0 != 0x20 && $0 != 0x09 }) { return Self.message(in: line) }
                continue
            }
            // What the client has not ended is not a message.
            guard buffer.count > Self.maximumLine else { return .end }
            while buffer.firstIndex(of: UInt8(ascii: "\n")) == nil {
                buffer = []
                guard fill() else { return .end }
            }
            _ = nextLine(limit: .max)
            return .invalid(ResponseError(.invalidRequest, "a message has more than \(Self.maximumLine) bytes"))
        }
    }

    private mutating func nextWithHeaders() -> Result {
        var lines: [String] = []
        var size = 0
        while true {
            guard let line = nextLine(limit: Self.maximumHeader).map({ String(decoding: $0, as: UTF8.self) }) else {
                let isEnd = lines.isEmpty && buffer.isEmpty
                return isEnd ? .end : .broken(ResponseError(.parseError, "a header field is cut off or too long"))
            }
            if line.isEmpty { break }
            lines.append(line)
            size += line.utf8.count
            if size > Self.maximumHeader {
                return .broken(
                    ResponseError(.parseError, "the header fields have more than \(Self.maximumHeader) bytes")
                )
            }
        }
        guard let length = Self.length(in: lines) else {
            return .broken(
                ResponseError(.parseError, "a message needs one field 'Content-Length' with its size in bytes")
            )
        }
        guard length <= Self.maximumBody else {
            guard skip(length) else { return .end }
            let message = "a message has \(length) bytes, but the maximum is \(Self.maximumBody)"
            return .invalid(ResponseError(.invalidRequest, message))
        }
        guard let body = take(length) else { return .end }
        return Self.message(in: body)
    }

    private static func message(in body: some Sequence<UInt8>) -> Result {
        do {
            return ClientMessage.reading(try JSONParser().parse(body))
        } catch {
            return .invalid(ResponseError(.parseError, "a message is not JSON: \(error.message)"))
        }
    }

    /// Returns the value of `Content-Length`; `nil` if there is none, or several different ones.
    private static func length(in lines: [String]) -> Int? {
        var lengths: Set<String> = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            guard line[..<colon].lowercased() == "content-length" else { continue }
            lengths.insert(line[line.index(after: colon)...].trimmingSpaces)
        }
        guard lengths.count == 1, let text = lengths.first, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// Returns the next line without its line break; `nil` if it does not end or is too long.
    private mutating func nextLine(limit: Int) -> ArraySlice<UInt8>? {
        var searched = buffer.startIndex
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                var line = buffer[..<end]
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                buffer = buffer[(end + 1)...]
                return line
            }
            let count = buffer.count
            guard count <= limit, fill() else { return nil }
            searched = buffer.startIndex + count
        }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            let part = buffer.prefix(count - body.count)
            body += part
            buffer = buffer.dropFirst(part.count)
            if body.count == count { return body }
            guard fill() else { return nil }
        }
    }

    private mutating func skip(_ count: Int) -> Bool {
        var rest = count
        while true {
            let length = min(rest, buffer.count)
            buffer = buffer.dropFirst(length)
            rest -= length
            if rest == 0 { return true }
            guard fill() else { return false }
        }
    }

    /// Adds the next bytes to the buffer; `false` at the end of the stream.
    private mutating func fill() -> Bool {
        let bytes = source()
        if buffer.isEmpty { buffer = bytes[...] } else { buffer = (Array(buffer) + bytes)[...] }
        return !bytes.isEmpty
    }
}

extension Substring {
    /// The text without spaces and tabs at both ends.
    fileprivate var trimmingSpaces: String {
        var rest = self
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
