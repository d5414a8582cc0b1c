/// Collects the header of the final answer, line by line as libcurl gives it. Headers of informational answers are
/// dropped and trailers are not taken, but all count, so that neither can go on for ever.
struct ResponseHeadCollector {
    /// How many bytes of header one answer may have in all.
    static let maximumBytes = 256 << 10

    /// The lines of the final answer, or of what has come of the latest one.
    private(set) var bytes: [UInt8] = []
    /// Whether the header of the final answer has come to its end.
    private(set) var isComplete = false

    private var count = 0

    /// Whether the status line has come.
    var hasBegun: Bool { !bytes.isEmpty }

    /// Takes a line with its line break. False when there is too much.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
        count += line.count
        guard count <= Self.maximumBytes else { return false }
        guard !isComplete else { return true }
        if line.starts(with: "HTTP/".utf8) { bytes.removeAll(keepingCapacity: true) }
        bytes.append(contentsOf: line)
        if line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) { isComplete = !isInformational }
        return true
    }

    /// Whether the answer asks for the same request once more, with credentials or without `Expect`, which libcurl
    /// answers by itself.
    var asksForAnother: Bool {
        isComplete && [401, 407, 417].contains(Int(String(decoding: statusCode, as: UTF8.self)))
    }

    /// Forgets the answer, for the next one. What came of it still counts.
    mutating func beginAgain() {
        bytes = []
        isComplete = false
    }

    // 101 is the last header too: what follows is not HTTP.
    private var isInformational: Bool {
        statusCode.first == UInt8(ascii: "1") && !statusCode.starts(with: "101".utf8)
    }

    private var statusCode: ArraySlice<UInt8> {
        let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }
        return line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: true).dropFirst().first ?? []
    }
}
