/// Determines from the fields of a response where its body ends (RFC 9112, section 6.3).
struct ResponseFraming {
    /// Where the body ends.
    enum Length: Equatable {
        /// After this many bytes.
        case bytes(Int)
        /// Where the chunks or the frames end.
        case marked
        /// Where the connection ends.
        case untilClose
    }

    /// Why the end of the body is unknown, with the values of the fields.
    enum Fault: Error, Equatable {
        /// A `Content-Length` is not a number of bytes.
        case invalidLength(String)
        /// Two values of `Content-Length` differ.
        case differentLengths(Int, Int)
        /// A field with this name is folded over several lines, or has a space before its colon.
        case malformedField(String)
        /// `chunked` appears twice.
        case invalidCodings(String)
        /// A transfer coding is not `chunked`: it is unknown, or was not requested.
        case unknownCoding(String)
        /// The size of a chunk is not a hexadecimal number.
        case malformedChunk
        /// Between chunks, or in a trailer, there is a carriage return without a line feed, or a NUL.
        case strayCharacter
    }

    /// The codings that have a meaning, or had one.
    static let knownCodings = ["chunked", "identity", "gzip", "x-gzip", "deflate", "br", "zstd"]

    private enum Field {
        case length, codings, other
    }

    private var field = Field.other
    private var length: Int?
    private var fault: Fault?
    private var malformed: String?
    // The transfer codings, if they are not simply `chunked`.
    private var codings: [String] = []
    private var isChunked = false

    /// Inspects a line of the header after the status line.
    mutating func append(_ line: UnsafeRawBufferPointer) {
        if line.first == 0x20 || line.first == 0x09 {
            // libcurl does not see the rest of a value that is folded over several lines (section 5.2).
            if !line[...].withoutOuterBlanks.isEmpty { rejectField() }
            return
        }
        field = .other
        guard let first = line.first else { return }
        switch first | 0x20 {
        case UInt8(ascii: "c") where line.isField(named: "content-length"): field = .length
        case UInt8(ascii: "t") where line.isField(named: "transfer-encoding"): field = .codings
        default: return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        // libcurl does not see a field with a space before its colon (section 5.1).
        if line[colon - 1] == 0x20 { return rejectField() }
        append(line[(colon + 1)...].withoutOuterBlanks)
    }

    private mutating func rejectField() {
        switch field {
        case .length: malformed = malformed ?? "Content-Length"
        case .codings: malformed = malformed ?? "Transfer-Encoding"
        case .other: break
        }
    }

    /// Where the body ends.
    func bodyLength() throws(Fault) -> Length {
        if let malformed { throw .malformedField(malformed) }
        // No request asks for another transfer coding (RFC 9112, section 7.4), whose end libcurl does not check.
        if let coding = codings.first(where: { $0 != "chunked" }) { throw .unknownCoding(coding) }
        guard codings.isEmpty else { throw .invalidCodings(codings.joined(separator: ", ")) }
        // It overrides `Content-Length`.
        if isChunked { return .marked }
        if let fault { throw fault }
        return length.map(Length.bytes) ?? .untilClose
    }

    private mutating func append(_ value: Slice<UnsafeRawBufferPointer>) {
        switch field {
        case .length: appendLengths(value)
        case .codings: appendCodings(value)
        case .other: break
        }
    }

    /// A list of equal lengths counts as one.
    private mutating func appendLengths(_ value: Slice<UnsafeRawBufferPointer>) {
        for element in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let number = Self.number(element.withoutOuterBlanks) else {
                fault = fault ?? .invalidLength(String(decoding: value, as: UTF8.self))
                return
            }
            if let length, length != number { fault = fault ?? .differentLengths(length, number) }
            length = number
        }
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            if isTooLarge || overflows { return nil }
            number = sum
        }
        return number
    }

    private mutating func appendCodings(_ value: Slice<UnsafeRawBufferPointer>) {
        let names = value.split(separator: UInt8(ascii: ",")).map { element in
            String(decoding: element.withoutOuterBlanks, as: UTF8.self).lowercased()
        }
        if names == ["chunked"], !isChunked, codings.isEmpty {
            isChunked = true
        } else {
            if isChunked { codings.append("chunked") }
            isChunked = false
            codings += names.filter { !$0.isEmpty }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a header line has this field name, which must be in lower case.
    func isField(named name: StaticString) -> Bool {
        let length = name.utf8CodeUnitCount
        guard count > length, self[length] == UInt8(ascii: ":") || self[length] == UInt8(ascii: " ") else {
            return false
        }
        return name.withUTF8Buffer { name in name.indices.allSatisfy { self[$0] | 0x20 == name[$0] } }
    }
}
