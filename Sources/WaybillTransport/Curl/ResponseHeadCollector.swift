/// Collects the header of the final response, line by line as libcurl passes it. Headers of informational responses and
/// trailers are discarded, but they count towards the limit, so that neither can be endless.
struct ResponseHeadCollector {
    /// The initial capacity in bytes, which is enough for most responses.
    private static let usualBytes = 512
    /// The maximum size in bytes of all headers and trailers of one response.
    static let maximumBytes = 256 << 10

    /// The lines of the final response, or of the latest one so far.
    private(set) var bytes: [UInt8] = []
    /// Whether the header of the final response is complete.
    private(set) var isComplete = false
    /// Whether the latest header starts with a status line (RFC 9112, section 4). libcurl accepts `http/1ttp/1.1 200`
    /// as one.
    private(set) var hasStatusLine = true

    /// Whether the latest header has a field.
    private(set) var hasField = false

    /// Whether the first line after a status line is folded, and so belongs to no field.
    private(set) var startsFolded = false

    private var count = 0
    private var namesCodings = false
    private var isInHead = false
    private var framing = ResponseFraming()

    /// Whether a status line was received.
    var hasBegun: Bool { !bytes.isEmpty }

    /// Appends a line with its line break. Returns false if the limit is exceeded.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
        count += line.count
        guard count <= Self.maximumBytes else { return false }
        guard !isComplete else { return true }
        if bytes.isEmpty { bytes.reserveCapacity(Self.usualBytes) }
        if !isInHead {
            bytes.removeAll(keepingCapacity: true)
            namesCodings = false
            framing = ResponseFraming()
            isInHead = true
            hasField = false
            hasStatusLine = Self.isStatusLine(line)
        } else {
            framing.append(line)
            if !hasField && (line.first == 0x20 || line.first == 0x09) { startsFolded = true }
            hasField = true
        }
        bytes.append(contentsOf: line)
        if !namesCodings && line.isField(named: "content-encoding") { namesCodings = true }
        if line.first == 0x0D || line.first == 0x0A, line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }) {
            isInHead = false
            isComplete = !isInformational
        }
        return true
    }

    /// Whether the status line has the version 2.
    var claimsHTTP2: Bool { bytes.starts(with: "HTTP/2".utf8) }

    /// Whether the status line has the version 1.0.
    var claimsHTTP10: Bool { bytes.starts(with: "HTTP/1.0".utf8) }

    /// The values of `Content-Encoding`.
    var codings: [String] {
        namesCodings ? ResponseHead(bytes).fields.values(named: "Content-Encoding") : []
    }

    /// Returns how the end of the body is determined, for a response to this method. Throws if the fields do not
    /// determine it (RFC 9112, section 6.3).
    func bodyLength(for method: String) throws(ResponseFraming.Fault) -> ResponseFraming.Length {
        if method == "HEAD" || [204, 304].contains(statusCode) { return .bytes(0) }
        let length = try framing.bodyLength()
        return length == .untilClose && claimsHTTP2 ? .marked : length
    }

    /// Whether the response asks for the same request again, with credentials or without `Expect`. libcurl sends it by
    /// itself.
    var asksForAnother: Bool {
        isComplete && [401, 407, 417].contains(statusCode)
    }

    /// Whether the response asks for credentials, or rejects those that the request had.
    var asksForCredentials: Bool { isComplete && statusCode == 401 }

    /// Whether it is the header of a response with a status of the class 2xx.
    var isSuccess: Bool { isComplete && statusCode / 100 == 2 }

    /// Discards the lines before the next response. Their size still counts towards the limit.
    mutating func beginAgain() {
        bytes = []
        isComplete = false
        isInHead = false
        hasField = false
    }

    /// Whether a line has the version of HTTP, in letters of either case, and a code of three digits.
    private static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        let isDigit = { (byte: UInt8?) in byte.map { (0x30...0x39).contains($0) } ?? false }
        guard line.prefix(5).elementsEqual("HTTP/".utf8, by: { $0 & 0xDF == $1 & 0xDF }) else { return false }
        var rest = line.dropFirst(5)
        guard isDigit(rest.popFirst()) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard isDigit(rest.popFirst()) else { return false }
        }
        let code = rest.drop { $0 == 0x20 || $0 == 0x09 }
        return code.startIndex > rest.startIndex && code.count >= 3 && code.prefix(3).allSatisfy(isDigit)
            && !isDigit(code.dropFirst(3).first)
    }

    // 101 is final too: what follows is not HTTP.
    private var isInformational: Bool {
        let status = statusCode
        return status >= 100 && status < 200 && status != 101
    }

    /// The digits after the first blanks; 0 if there are none.
    var statusCode: Int {
        var number = 0
        var isAfterBlank = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: " ") where number == 0: isAfterBlank = true
            case UInt8(ascii: "0")...UInt8(ascii: "9") where isAfterBlank && number < 1000:
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            case 0x0D, 0x0A: return number
            default: if isAfterBlank { return number }
            }
        }
        return number
    }
}
