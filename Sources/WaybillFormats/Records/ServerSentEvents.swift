package import WaybillJSON

/// Reads the events of a stream that arrives in pieces (WHATWG HTML, section 9.2.6). An event counts only if an
/// empty line ends it.
package struct ServerSentEvents: Sendable {
    /// The ID of the last event that had one; empty if there is none.
    package private(set) var lastID: String
    /// How long the server asks to wait before it is connected to again.
    package private(set) var reconnectionTime: Duration?
    /// The number of bytes of the unfinished event.
    package var unfinishedBytes: Int { line.count + data.count }

    /// Why a complete body is not a whole stream of events; `nil` if it is.
    package var problemAtEnd: String? {
        if !hasFields, hasOtherLines || !line.isEmpty {
            return "the body is not an event stream: no line has a field such as 'data:'"
        }
        return unfinishedBytes > 0 ? "the last event is incomplete: no empty line follows it" : nil
    }

    /// Why the body is not a stream of events, as its first lines show; `nil` if it may be one. Fields with other names are
    /// ignored, but markup and JSON have no names of fields.
    package var problemAtStart: String? {
        let hasMark = isFirstLine && line.starts(with: Self.byteOrderMark)
        let name = line.dropFirst(hasMark ? 3 : 0).prefix { $0 != UInt8(ascii: ":") }
        guard !hasFields, hasForeignLines || line.count > 2 && !name.allSatisfy(Self.isOfName) else { return nil }
        return "the body is not an event stream: it does not start with a field such as 'data:'"
    }

    /// Whether a line was a comment or had a field that event streams have, and whether one had neither, or cannot be a field.
    private var hasFields = false, hasOtherLines = false, hasForeignLines = false
    private var line: [UInt8] = []
    private var isFirstLine = true
    private var endsWithCR = false
    private var id: String
    private var type = ""
    private var data: [UInt8] = []

    private static let (lf, cr) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Creates a reader of a stream that follows the event with an ID.
    package init(after lastID: String = "") {
        self.lastID = lastID
        id = lastID
    }

    /// Returns the events that end in some bytes, as `{event, data, id}`; the ID is null if there is none.
    package mutating func take(_ bytes: some Collection<UInt8>) -> [JSON] {
        guard let first = bytes.first else { return [] }
        var events: [JSON] = []
        var rest = bytes[...]
        if endsWithCR, first == Self.lf { rest = rest.dropFirst() }
        endsWithCR = false
        while let end = rest.firstIndex(where: { $0 == Self.lf || $0 == Self.cr }) {
            line += rest[..<end]
            let isCR = rest[end] == Self.cr
            rest = rest[end...].dropFirst()
            if isCR { if rest.first == Self.lf { rest = rest.dropFirst() } else { endsWithCR = rest.isEmpty } }
            if let event = finishLine() { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        line += rest
        return events
    }

    /// Processes a complete line. Returns the event that it ends.
    private mutating func finishLine() -> JSON? {
        if isFirstLine, line.starts(with: Self.byteOrderMark) { line.removeFirst(3) }
        isFirstLine = false
        if line.isEmpty { return finishEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            data += value
            data.append(Self.lf)
        // Like an ID with NUL, one with other control characters is ignored: no field of a request can have them.
        case "id":
            if !value.contains(where: { $0 < 0x20 || $0 == 0x7F }) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            // A number with more digits than a duration has is ignored, too.
            guard !value.isEmpty, value.count <= 15, value.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
            reconnectionTime = Int(String(decoding: value, as: UTF8.self)).map { .milliseconds($0) }
        case "": break
        default:
            hasOtherLines = true
            if colon == line.endIndex || !line[..<colon].allSatisfy(Self.isOfName) { hasForeignLines = true }
            return nil
        }
        hasFields = true
        return nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "0123456789-_".utf8.contains(byte)
    }

    private mutating func finishEvent() -> JSON? {
        lastID = id
        defer { (type, data) = ("", []) }
        guard !data.isEmpty else { return nil }
        return [
            "event": .string(type.isEmpty ? "message" : type),
            "data": .string(String(decoding: data.dropLast(), as: UTF8.self)),
            "id": id.isEmpty ? .null : .string(id),
        ]
    }
}
