/// One pass of the parser over one text.
///
/// It is not recursive: the contents of the open arrays and objects wait on two stacks. When a bracket closes, its
/// contents are moved off their stack at their final size.
struct JSONReading: ~Copyable {
    /// An array or object whose closing bracket has not been reached.
    private struct Container {
        var isObject: Bool
        /// The position of its first element or member on the stack.
        var start: Int
        /// For an object: the position on the stack of the member whose value comes next.
        var member = 0
        /// For an object: the index of its names, once there are enough.
        var nameIndex: NameIndex?
    }

    private var scanner: JSONScanner
    private let maximumDepth: Int
    private var container = Container(isObject: false, start: 0)
    private var outerContainers: [Container] = []
    private var depth = 0
    private var elements: MoveStack<JSON>
    private var members: MoveStack<(name: String, value: JSON)>
    private var nameHashes: MoveStack<UInt32>
    private var duplicateName: (name: String, offset: Int)?

    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, stopsAtLimit: Bool) {
        scanner = JSONScanner(bytes, stopsAtLimit: stopsAtLimit)
        self.maximumDepth = maximumDepth
        // A small text has few values.
        let room = min(64, bytes.count / 4 + 1)
        elements = MoveStack(capacity: room)
        members = MoveStack(capacity: room)
        nameHashes = MoveStack(capacity: room)
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
        while true {
            try scanner.checkLimit()
            guard var value = try readScalarOrOpen() else { continue }
            while depth > 0 {
                add(value)
                guard try readSeparator() else { break }
                value = close()
            }
            if depth == 0 { return value }
        }
    }

    /// Reads a value that is complete; `nil` if it opens an array or object whose first value comes next.
    private mutating func readScalarOrOpen() throws(JSONSyntaxError) -> JSON? {
        scanner.skipSpace()
        switch scanner.peek {
        case UInt8(ascii: "\""): return .string(try scanner.readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try scanner.readNumber())
        case UInt8(ascii: "{"):
            try open(isObject: true)
            if scanner.skip(UInt8(ascii: "}")) { return close() }
            try readName(orElse: "expected a name in quotes or }")
            return nil
        case UInt8(ascii: "["):
            try open(isObject: false)
            if scanner.skip(UInt8(ascii: "]")) { return close() }
            return nil
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

    /// Reads what follows a value in an array or object. Returns `true` for the closing bracket, `false` for a comma
    /// and, in an object, the next name.
    private mutating func readSeparator() throws(JSONSyntaxError) -> Bool {
        if scanner.skip(UInt8(ascii: ",")) {
            if container.isObject { try readName(orElse: "expected a name in quotes") }
            return false
        }
        if scanner.skip(container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return true }
        throw JSONSyntaxError("expected a comma or \(container.isObject ? "}" : "]")", at: scanner.position)
    }

    private mutating func open(isObject: Bool) throws(JSONSyntaxError) {
        guard depth < maximumDepth else {
            throw JSONSyntaxError("values are nested more than \(maximumDepth) levels deep", at: scanner.position)
        }
        if depth > 0 { outerContainers.append(container) }
        depth += 1
        container = Container(isObject: isObject, start: isObject ? members.count : elements.count)
        scanner.position += 1
    }

    private mutating func close() -> JSON {
        let start = container.start
        let value: JSON
        // An array that is made with a capacity of 0 writes to storage that all empty arrays share.
        if start == (container.isObject ? members.count : elements.count) {
            value = container.isObject ? .object(JSONObject()) : .array([])
        } else if container.isObject {
            let made = [(name: String, value: JSON)](unsafeUninitializedCapacity: members.count - start) {
                $1 = members.count - start
                if let destination = $0.baseAddress { members.moveTop(from: start, to: destination) }
            }
            nameHashes.removeTop(from: start)
            value = .object(JSONObject(distinct: made, index: container.nameIndex))
        } else {
            value = .array(
                [JSON](unsafeUninitializedCapacity: elements.count - start) {
                    $1 = elements.count - start
                    if let destination = $0.baseAddress { elements.moveTop(from: start, to: destination) }
                }
            )
        }
        depth -= 1
        if depth > 0 { container = outerContainers.removeLast() }
        return value
    }

    private mutating func add(_ value: consuming JSON) {
        if container.isObject {
            members[container.member].value = value
        } else {
            elements.push(value)
        }
    }
}

extension JSONReading {
    /// Reads a name and its colon, and reserves space for its value.
    private mutating func readName(orElse message: StaticString) throws(JSONSyntaxError) {
        scanner.skipSpace()
        let offset = scanner.position
        guard scanner.peek == UInt8(ascii: "\"") else { throw JSONSyntaxError("\(message)", at: offset) }
        let (name, hash) = try scanner.readName()
        if let earlier = position(of: name, hash: hash) {
            container.member = earlier
            if duplicateName == nil { duplicateName = (name, offset) }
        } else {
            container.member = members.count
            members.push((name, .null))
            nameHashes.push(hash)
        }
        guard scanner.skip(UInt8(ascii: ":")) else {
            throw JSONSyntaxError("expected a colon", at: scanner.position)
        }
    }

    /// Returns the position of a name among the members of the current object. A new name is added to the index, if
    /// there is one.
    private mutating func position(of name: String, hash: UInt32) -> Int? {
        if members.count - container.start >= NameIndex.smallestUse - 1 { return positionByIndex(of: name) }
        for position in container.start..<members.count
        where nameHashes[position] == hash && members[position].name.hasSameCodePoints(as: name) {
            return position
        }
        return nil
    }

    private mutating func positionByIndex(of name: String) -> Int? {
        let start = container.start
        if container.nameIndex == nil {
            var index = NameIndex(minimumCapacity: NameIndex.smallestUse)
            for position in start..<members.count {
                index.insert(position - start, hash: NameIndex.hash(members[position].name))
            }
            container.nameIndex = index
        }
        let hash = NameIndex.hash(name)
        let known = container.nameIndex?.position(hash: hash) {
            members[start + $0].name.hasSameCodePoints(as: name)
        }
        if let known { return start + known }
        container.nameIndex?.insert(members.count - start, hash: hash)
        return nil
    }
}
