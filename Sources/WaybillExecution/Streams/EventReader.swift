import WaybillFormats
import WaybillJSON

/// The IDs of a stream, as hashes: at least the first one and the last thousand.
struct RecentIDs: Sendable {
    private var first: Int?
    /// The last IDs, and those before them.
    private var ids: (recent: Set<Int>, older: Set<Int>) = ([], [])
    private var last: Int?

    /// Adds an ID, if there is one. Returns `false` if it was added before, except by the last call: an event without an
    /// ID of its own has that of the event before it.
    mutating func insert(_ id: String?) -> Bool {
        guard let id = id.map({ Array($0.utf8).hashValue }), id != last else { return true }
        let isNew = id != first && !ids.older.contains(id) && ids.recent.insert(id).inserted
        (first, last) = (first ?? id, id)
        if ids.recent.count > 1_000 { ids = ([], ids.recent) }
        return isNew
    }
}

/// Reads the events of a body that arrives in pieces: server-sent events, or a line of JSON for each.
struct EventReader: Sendable {
    /// The reader of server-sent events; `nil` for lines of JSON.
    private var sse: ServerSentEvents?
    /// The bytes of the unfinished line, and the lines and bytes before it.
    private var unfinished: [UInt8] = []
    private var lines = 0
    private var bytes = 0
    /// What a response that has all lines would have been decoded to, but for the values.
    private(set) var decoded = ResponseDecoder.Decoded(value: .null)

    /// Creates a reader.
    ///
    /// - Parameter sse: The reader of server-sent events; `nil` for lines of JSON.
    init(_ sse: ServerSentEvents?) { self.sse = sse }

    /// The ID after which the stream can be continued; empty if it cannot be.
    var lastID: String { sse?.lastID ?? "" }

    /// How long the server asks to wait before it is connected to again.
    var reconnectionTime: Duration? { sse?.reconnectionTime }

    /// The number of bytes of the unfinished event.
    var unfinishedBytes: Int { sse?.unfinishedBytes ?? unfinished.count }

    /// Returns the events that end in some bytes.
    mutating func take(_ bytes: [UInt8]) throws(ResponseDecoder.DecodingError) -> [JSON] {
        if let events = sse?.take(bytes) { return try checkStart() + events }
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else {
            unfinished += bytes
            return []
        }
        unfinished += bytes[...end]
        let events = try finish()
        unfinished = Array(bytes[end...].dropFirst())
        return events
    }

    /// Releases the memory of what is not complete.
    mutating func forgetUnfinished() {
        unfinished = []
        sse = sse.map { ServerSentEvents(after: $0.lastID) }
    }

    /// Returns no events. Throws if the start of the body shows that it has none: it is a page, for example.
    func checkStart() throws(ResponseDecoder.DecodingError) -> [JSON] {
        let first = unfinished.first { !" \t\r\n".utf8.contains($0) }
        if sse == nil, lines == 0, let first, !"{[\"-0123456789tfn".utf8.contains(first) {
            throw ResponseDecoder.DecodingError(message: "line 1 of the response is not JSON")
        }
        if let problem = sse?.problemAtStart { throw ResponseDecoder.DecodingError(message: problem) }
        return []
    }

    /// Returns the events of the last line, which the end of the body ends.
    mutating func finish() throws(ResponseDecoder.DecodingError) -> [JSON] {
        if let problem = sse?.problemAtEnd { throw ResponseDecoder.DecodingError(message: problem) }
        let text = unfinished
        unfinished = []
        return try ResponseDecoder.add(text, after: &lines, at: &bytes, to: &decoded)
    }
}
