/// One pass of the parser over one text. It recurses as deep as the values are nested, which the parser limits.
struct JSONReading: ~Copyable {
    private var scanner: JSONScanner
    private let maximumDepth: Int
    private var depth = 0
    /// The path of the member that is not decoded, and how many objects on it contain the next value.
    private let undecodedMember: [String]
    private var matched = 0
    /// Whether values are only checked.
    private var isChecking = false
    /// The number of members of the last object at each depth. The next one there often has as many.
    private var memberCounts: [Int] = []
    private var duplicateName: (name: String, offset: Int)?

    init(_ bytes: [UInt8], maximumDepth: Int, _ undecodedMember: [String], stopsAtLimit: Bool) {
        self.undecodedMember = undecodedMember
        scanner = JSONScanner(bytes, stopsAtLimit: stopsAtLimit)
        self.maximumDepth = maximumDepth
    }

    mutating func readDocument() throws(JSONSyntaxError) -> JSONDocument {
        scanner.skipByteOrderMark()
        let value = try readValue()
        scanner.skipSpace()
        guard scanner.isAtEnd else {
            throw JSONSyntaxError("unexpected content after the value", at: scanner.position)
        }
        return JSONDocument(value: value, duplicateName: duplicateName, loneSurrogates: scanner.loneSurrogates)
    }

    private mutating func readValue() throws(JSONSyntaxError) -> JSON {
        try scanner.checkLimit()
        scanner.skipSpace()
        switch scanner.peek {
        case UInt8(ascii: "\""): return .string(try scanner.readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try scanner.readNumber())
        case UInt8(ascii: "{"): return .object(try readObject())
        case UInt8(ascii: "["): return .array(try readArray())
        case UInt8(ascii: "t"):
            try scanner.readLiteral("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try scanner.readLiteral("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try scanner.readLiteral("null")
            return .null
        default:
            throw JSONSyntaxError("expected a value", at: scanner.position)
        }
    }

    private mutating func readArray() throws(JSONSyntaxError) -> [JSON] {
        try open()
        defer { depth -= 1 }
        var elements: [JSON] = []
        if scanner.skip(UInt8(ascii: "]")) { return elements }
        repeat {
            let element = try readValue()
            if !isChecking { elements.append(element) }
        } while scanner.skip(UInt8(ascii: ","))
        try close(UInt8(ascii: "]"))
        return elements
    }

    private mutating func readObject() throws(JSONSyntaxError) -> JSONObject {
        try open()
        defer { depth -= 1 }
        if scanner.skip(UInt8(ascii: "}")) { return JSONObject() }
        // Without space for all members, growing objects takes a tenth of the time that parsing takes; with space for more,
        // a list of small objects takes twice the memory.
        while memberCounts.count <= depth { memberCounts.append(8) }
        var object = JSONObject(minimumCapacity: isChecking ? 0 : memberCounts[depth])
        repeat {
            scanner.skipSpace()
            let offset = scanner.position
            guard scanner.peek == UInt8(ascii: "\"") else {
                throw JSONSyntaxError("expected a name in quotes\(object.isEmpty ? " or }" : "")", at: offset)
            }
            let name = try scanner.readString()
            guard scanner.skip(UInt8(ascii: ":")) else {
                throw JSONSyntaxError("expected a colon", at: scanner.position)
            }
            let value = try readMember(name)
            if isChecking { continue }
            let earlier = object.updateValue(value, forName: name)
            if earlier != nil, offset < duplicateName?.offset ?? .max { duplicateName = (name, offset) }
        } while scanner.skip(UInt8(ascii: ","))
        try close(UInt8(ascii: "}"))
        memberCounts[depth] = min(object.count, 64)
        return object
    }

    private mutating func readMember(_ name: String) throws(JSONSyntaxError) -> JSON {
        let isOnPath = depth == matched + 1 && matched < undecodedMember.count && undecodedMember[matched] == name
        guard isOnPath, !isChecking else { return try readValue() }
        scanner.skipSpace()
        guard matched == undecodedMember.count - 1 || scanner.peek == UInt8(ascii: "[") else {
            matched += 1
            defer { matched -= 1 }
            return try readValue()
        }
        let start = scanner.position
        isChecking = true
        defer { isChecking = false }
        _ = try readValue()
        return .bytes(scanner.bytes(from: start))
    }

    private mutating func open() throws(JSONSyntaxError) {
        guard depth < maximumDepth else {
            throw JSONSyntaxError("values are nested more than \(maximumDepth) levels deep", at: scanner.position)
        }
        depth += 1
        scanner.position += 1
    }

    private mutating func close(_ bracket: UInt8) throws(JSONSyntaxError) {
        guard scanner.skip(bracket) else {
            throw JSONSyntaxError("expected a comma or \(Unicode.Scalar(bracket))", at: scanner.position)
        }
    }
}
