import WaybillJSON

/// Reads a journal line by line, whatever its size.
///
/// A run that was killed may leave an incomplete last line, which is ignored. Any other line that is not an event with
/// the next number and the right checksum is damage.
struct JournalReader {
    private static let pieceSize = 1 << 20
    /// The maximum length of an event's line, in bytes.
    private static let longestLine = 256 << 20
    /// Leaves out what later steps use, which may be large: of most events, only the rest is needed.
    private static let parser: JSONParser = {
        var parser = JSONParser.ownFiles
        parser.undecodedMember = ["kept", "record"]
        return parser
    }()

    private let path: String
    /// Returns the part of a line to parse as JSON; `nil` to skip the line without any check.
    private let part: (([UInt8]) -> [UInt8]?)?
    /// The number of the last event.
    private(set) var lastNumber = 0
    /// The number of bytes up to the end of the last complete line.
    private(set) var length = 0

    private var line = 0

    /// Creates a reader of all events, or of parts of some.
    init(_ path: String, reading part: (([UInt8]) -> [UInt8]?)? = nil) {
        self.path = path
        self.part = part
    }

    /// Calls a function with each event in the bytes of a journal.
    mutating func read(_ bytes: [UInt8], _ take: (JSON) -> Void) throws(ResultsError) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try accept(line: Array(rest[..<end]), take)
            rest = rest[(end + 1)...]
        }
    }

    /// Calls a function with each event in the file.
    mutating func read(_ take: (JSON) -> Void) throws(ResultsError) {
        let file = try InputFile(path)
        var held: [UInt8] = []
        while case let piece = try file.next(Self.pieceSize), !piece.isEmpty {
            var rest = piece[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                held += rest[..<end]
                try accept(line: held, take)
                held.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            held += rest
            guard held.count <= Self.longestLine else { throw damage("it is longer than any event", at: line + 1) }
        }
        // A line without a line break at its end was not written completely.
    }

    /// Calls a function with each event in the file that this version knows.
    mutating func readEvents(_ take: (RunEvent) -> Void) throws(ResultsError) {
        try read { json in
            if let event = RunEvent(json: json) { take(event) }
        }
    }

    private mutating func accept(line bytes: [UInt8], _ take: (JSON) -> Void) throws(ResultsError) {
        line += 1
        let event: JSON
        do {
            guard let text = part.map({ $0(bytes) }) ?? bytes else {
                lastNumber += 1
                length += bytes.count + 1
                return
            }
            event = try Self.parser.parse(text)
        } catch {
            throw damage("expected a JSON object", at: line)
        }
        switch JSONStream.hasRightChecksum(bytes) {
        case true?: break
        case false?: throw damage("its checksum is wrong", at: line)
        case nil where line == 1:
            throw damage("it has no checksum: an earlier version of waybill wrote it; start a new run", at: line)
        case nil: throw damage("it has no checksum", at: line)
        }
        guard let number = event["seq"]?.number?.int, event["type"]?.string != nil else {
            throw damage("it is not an event", at: line)
        }
        guard number == lastNumber + 1 else {
            throw damage("its number is \(number), expected \(lastNumber + 1)", at: line)
        }
        lastNumber = number
        length += bytes.count + 1
        take(event)
    }

    private func damage(_ reason: String, at line: Int) -> ResultsError {
        ResultsError("\(path):\(line): the journal is damaged: \(reason)")
    }
}
