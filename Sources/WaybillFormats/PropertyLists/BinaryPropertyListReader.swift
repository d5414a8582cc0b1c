import WaybillJSON

/// Reads a binary property list (`bplist00`): objects that refer to each other by number, a table of their offsets, and
/// a trailer of 32 bytes.
struct BinaryPropertyListReader {
    /// An object that has been read, including all objects that it refers to.
    fileprivate struct Object {
        var value: JSON
        /// The number of values that it counts as.
        var nodes: Int
        /// The nesting depth of arrays and dictionaries in it.
        var height = 0
    }

    /// The size in bytes up to which contents are not cached.
    private static let shortLength = 15

    private let bytes: [UInt8]
    private let maximumDepth: Int
    private let maximumNodes: Int
    private let trailer: BinaryPropertyListTrailer

    /// Containers and long strings by their numbers, so that objects with many references are read and stored once.
    private var known: [Int: Object] = [:]
    /// The containers that are currently being read.
    private var open: Set<Int> = []
    /// The number of bytes of contents that may still be read. Objects that do not overlap have no more bytes than the
    /// file; some writers give an object several numbers.
    private var bytesLeft: Int
    private var workLimit = WorkLimit.Check()
    /// The references that have been followed, each as the bytes of a reference and an offset.
    private var work = 0

    init(_ bytes: [UInt8], maximumDepth: Int, maximumNodes: Int) throws(PropertyListError) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.maximumNodes = maximumNodes
        trailer = try BinaryPropertyListTrailer(of: bytes)
        bytesLeft = bytes.count * 4
    }

    /// Returns the value of the top object.
    mutating func read() throws(PropertyListError) -> JSON {
        try object(trailer.topObject, referredToAt: bytes.count - 16).value
    }

    private mutating func object(_ number: Int, referredToAt position: Int) throws(PropertyListError) -> Object {
        work += 16
        if workLimit.isReached(at: work) { throw PropertyListError(WorkLimit.message, at: position) }
        if let object = known[number] { return object }
        guard number < trailer.objectCount else {
            throw PropertyListError("object \(number) does not exist", at: position)
        }
        let entry = trailer.offsetTable + number * trailer.offsetSize
        let offset = try unsigned(at: entry, size: trailer.offsetSize)
        guard let start = Int(exactly: offset), start >= 8, start < trailer.offsetTable else {
            throw PropertyListError("the offset of object \(number) leads outside the objects", at: entry)
        }
        switch bytes[start] >> 4 {
        case 0xA, 0xB, 0xC, 0xD:
            guard open.insert(number).inserted else {
                throw PropertyListError("object \(number) contains itself", at: position)
            }
            guard open.count <= maximumDepth else {
                throw PropertyListError(
                    "arrays and dictionaries are nested more than \(maximumDepth) levels deep",
                    at: start
                )
            }
            let object = try container(at: start)
            open.remove(number)
            known[number] = object
            return object
        default:
            let bytesLeftBefore = bytesLeft
            let value = try scalar(at: start)
            let object = Object(value: value, nodes: 1 + (value.string?.utf8.count ?? 0) / 1024)
            // An object that was charged is cached, so that it is charged only once.
            if bytesLeft < bytesLeftBefore { known[number] = object }
            return object
        }
    }

    private mutating func container(at start: Int) throws(PropertyListError) -> Object {
        let isDictionary = bytes[start] >> 4 == 0xD
        let (count, contents) = try counted(at: start, unit: trailer.referenceSize * (isDictionary ? 2 : 1))
        var result = Object(value: .null, nodes: 1)
        var members = JSONObject()
        var elements: [JSON] = []
        if !isDictionary { elements.reserveCapacity(count) }
        for index in 0..<count {
            let position = contents + index * trailer.referenceSize
            let first = try object(reference(at: position), referredToAt: position)
            try result.add(first, limit: maximumNodes, at: start)
            guard isDictionary else {
                elements.append(first.value)
                continue
            }
            guard let name = first.value.string, try isText(reference(at: position)) else {
                throw PropertyListError("a key is not a string", at: position)
            }
            let valuePosition = position + count * trailer.referenceSize
            let value = try object(reference(at: valuePosition), referredToAt: valuePosition)
            try result.add(value, limit: maximumNodes, at: start)
            members[name] = value.value
        }
        result.value = isDictionary ? .object(members) : .array(elements)
        result.height += 1
        guard result.height <= maximumDepth else {
            throw PropertyListError(
                "arrays and dictionaries are nested more than \(maximumDepth) levels deep",
                at: start
            )
        }
        return result
    }

    /// Whether an object that has been read is a string, not a date or data that was converted to one.
    private func isText(_ number: Int) throws(PropertyListError) -> Bool {
        let offset = try unsigned(at: trailer.offsetTable + number * trailer.offsetSize, size: trailer.offsetSize)
        let kind = bytes[Int(offset)] >> 4
        return kind == 0x5 || kind == 0x6
    }

    private mutating func scalar(at start: Int) throws(PropertyListError) -> JSON {
        let marker = bytes[start]
        switch marker {
        case 0x00: return .null
        case 0x08: return .bool(false)
        case 0x09: return .bool(true)
        case 0x10...0x14: return .number(try integer(at: start))
        case 0x22:
            let value = Float(bitPattern: UInt32(try unsigned(at: start + 1, size: 4)))
            return .number(try number(Double(value), at: start))
        case 0x23: return .number(try number(double(at: start + 1), at: start))
        case 0x33:
            guard let text = PropertyListDate.text(secondsSince2001: try double(at: start + 1)) else {
                throw PropertyListError("a date is not in the years 1 to 9999", at: start)
            }
            return .string(text)
        case 0x40...0x4F:
            let (count, contents) = try counted(at: start, unit: 1)
            return .string(Base64.encode(Array(bytes[contents..<contents + count])))
        case 0x50...0x5F:
            let (count, contents) = try counted(at: start, unit: 1)
            let text = bytes[contents..<contents + count]
            if let index = text.firstIndex(where: { $0 >= 0x80 }) {
                throw PropertyListError("an ASCII string contains a byte that is not ASCII", at: index)
            }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x60...0x6F:
            let (count, contents) = try counted(at: start, unit: 2)
            let units = (0..<count).map { UInt16(bytes[contents + $0 * 2]) << 8 | UInt16(bytes[contents + $0 * 2 + 1]) }
            return .string(String(decoding: units, as: UTF16.self))
        case 0x80...0x8F:
            let identifier = try unsigned(at: start + 1, size: Int(marker & 0xF) + 1)
            return ["CF$UID": .number(JSONNumber(validated: String(identifier)))]
        default:
            throw PropertyListError("unknown kind of object 0x\(String(marker, radix: 16))", at: start)
        }
    }

    /// Reads an integer: unsigned with 1, 2 or 4 bytes, signed with 8 or 16.
    private func integer(at start: Int) throws(PropertyListError) -> JSONNumber {
        let size = 1 << Int(bytes[start] & 0xF)
        let value = try unsigned(at: start + 1, size: size)
        switch size {
        case 8: return JSONNumber(Int(Int64(truncatingIfNeeded: value)))
        case 16: return JSONNumber(validated: String(Int128(truncatingIfNeeded: value)))
        default: return JSONNumber(Int(value))
        }
    }

    private func number(_ value: Double, at start: Int) throws(PropertyListError) -> JSONNumber {
        guard let number = JSONNumber(value) else {
            throw PropertyListError("'\(value)' is not a number in JSON", at: start)
        }
        return number
    }

    private func double(at start: Int) throws(PropertyListError) -> Double {
        Double(bitPattern: UInt64(try unsigned(at: start, size: 8)))
    }

    private func reference(at position: Int) throws(PropertyListError) -> Int {
        let number = try unsigned(at: position, size: trailer.referenceSize)
        guard let number = Int(exactly: number), number < trailer.objectCount else {
            throw PropertyListError("object \(number) does not exist", at: position)
        }
        return number
    }

    /// Returns the number of units after a marker, and their offset. All of them are before the table of offsets.
    private mutating func counted(at start: Int, unit: Int) throws(PropertyListError) -> (count: Int, contents: Int) {
        var count = Int(bytes[start] & 0xF)
        var contents = start + 1
        if count == 0xF {
            guard contents < trailer.offsetTable, bytes[contents] >> 4 == 1, bytes[contents] & 0xF <= 3 else {
                throw PropertyListError("expected a count", at: contents)
            }
            let size = 1 << Int(bytes[contents] & 0xF)
            guard let long = Int(exactly: try unsigned(at: contents + 1, size: size)) else {
                throw PropertyListError("an object extends past the end of the bytes", at: start)
            }
            count = long
            contents += 1 + size
        }
        let (length, overflows) = count.multipliedReportingOverflow(by: unit)
        guard !overflows, length <= trailer.offsetTable - contents else {
            throw PropertyListError("an object extends past the end of the bytes", at: start)
        }
        // Short contents are read again for each reference, which has been charged.
        if length > Self.shortLength { bytesLeft -= length }
        guard bytesLeft >= 0 else { throw PropertyListError("too many objects overlap", at: start) }
        return (count, contents)
    }

    /// Reads a big-endian integer of 1 to 16 bytes.
    private func unsigned(at start: Int, size: Int) throws(PropertyListError) -> UInt128 {
        // The table of offsets comes after the objects, and the trailer has been checked to be after the table.
        guard start + size <= bytes.count - BinaryPropertyListTrailer.size else {
            throw PropertyListError("an object extends past the end of the bytes", at: start)
        }
        return bytes[start..<start + size].reduce(0) { $0 << 8 | UInt128($1) }
    }
}

extension BinaryPropertyListReader.Object {
    /// Adds the counts of an object that this one refers to.
    fileprivate mutating func add(
        _ inner: BinaryPropertyListReader.Object,
        limit: Int,
        at start: Int
    ) throws(PropertyListError) {
        nodes += inner.nodes
        height = max(height, inner.height)
        guard nodes <= limit else {
            throw PropertyListError("objects with several references expand to more than \(limit) values", at: start)
        }
    }
}
