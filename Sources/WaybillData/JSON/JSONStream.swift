package import WaybillDiagnostics

/// JSON text (RFC 8259) that is written piece by piece, with no value of the whole in memory.
///
/// In an object everything is written with a name, in an array without one; members whose value is `nil` are left out.
///
/// Public, as `JSONStreamable` is, since the compiler builds into other modules only what is part of a public type.
public struct JSONStream: Sendable {
    /// The text so far, in UTF-8.
    package private(set) var bytes: [UInt8]
    private let layout: JSONWriter.Layout
    private var depth = 0
    /// Writes moments.
    private var clock = TimestampWriter()
    /// Whether nothing has been written yet in the innermost array or object.
    private var isAtStart = true

    /// Text with white space where a layout has it.
    package init(layout: JSONWriter.Layout = .compact) {
        self.layout = layout
        bytes = []
    }

    /// Forgets the text, and keeps its memory if told to.
    package mutating func removeAll(keepingCapacity: Bool) {
        bytes.removeAll(keepingCapacity: keepingCapacity)
    }

    /// How many bytes have been written.
    package var count: Int { bytes.count }

    /// Adds a member `sum` to the object that was written last and begins at an offset: the checksum of its bytes, without
    /// the member itself and the closing brace.
    package mutating func addChecksum(from start: Int) {
        bytes.removeLast()
        bytes.append(contentsOf: ",\"sum\":\"\(Checksum.text(of: bytes[start...]))\"}".utf8)
    }

    /// Whether the checksum of an object that `addChecksum` completed is that of its bytes; `nil` where it has none.
    package static func hasRightChecksum(_ object: [UInt8]) -> Bool? {
        guard object.suffix(2) == Array("\"}".utf8),
            let quote = object.dropLast(2).suffix(16).lastIndex(of: UInt8(ascii: "\""))
        else { return nil }
        let content = object[..<quote]
        let name = Array(",\"sum\":".utf8)
        guard content.suffix(name.count) == name[...] else { return nil }
        return Checksum.text(of: content.dropLast(name.count)).utf8.elementsEqual(object[(quote + 1)...].dropLast(2))
    }

    /// Ends a line between values.
    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
    }

    // MARK: Values

    /// Writes an object with the members of a value.
    package mutating func add(_ object: some JSONStreamable) {
        begin(UInt8(ascii: "{"))
        object.addMembers(to: &self)
        end(UInt8(ascii: "}"))
    }

    /// Writes a text.
    package mutating func add(_ text: String) {
        JSONWriter.write(text, to: &bytes)
    }

    // MARK: Members

    /// Adds a member whose value is an object.
    package mutating func add(_ name: StaticString, _ object: (some JSONStreamable)?) {
        guard let object else { return }
        begin(name, UInt8(ascii: "{"))
        object.addMembers(to: &self)
        end(UInt8(ascii: "}"))
    }

    /// Adds a member whose value is an array of objects.
    package mutating func add(_ name: StaticString, each objects: [some JSONStreamable]) {
        begin(name, UInt8(ascii: "["))
        for object in objects {
            separate()
            add(object)
        }
        end(UInt8(ascii: "]"))
    }

    /// Adds a member whose value is an array of texts.
    package mutating func add(_ name: StaticString, each texts: [String]) {
        begin(name, UInt8(ascii: "["))
        for text in texts {
            separate()
            add(text)
        }
        end(UInt8(ascii: "]"))
    }

    /// Adds a text.
    package mutating func add(_ name: StaticString, _ text: String?) {
        guard var text else { return }
        let isPlain = text.withUTF8 { text in
            guard JSONWriter.isPlain(text) else { return false }
            addName(name, room: text.count + 2) { cursor in
                cursor.put(UInt8(ascii: "\""))
                cursor.put(text)
                cursor.put(UInt8(ascii: "\""))
            }
            return true
        }
        if isPlain { return }
        addName(name)
        add(text)
    }

    /// Adds a text that is safe to write.
    package mutating func add(_ name: StaticString, _ text: RedactedText?) {
        add(name, text?.string)
    }

    /// Adds a whole number.
    package mutating func add(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        add(name, JSONNumber(number))
    }

    /// Adds a whole number by a name that is not known beforehand.
    package mutating func add(named name: String, _ number: Int) {
        separate()
        add(name)
        endName()
        JSONNumber(number).write(to: &bytes)
    }

    /// Adds a place in a text, as `file`, `line` and `column`.
    package mutating func add(_ span: SourceSpan?) {
        guard let span else { return }
        let start = span.start
        add("file", span.file.name)
        add("line", start.line)
        add("column", start.column)
    }

    /// Adds a truth value.
    package mutating func add(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        addName(name)
        bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    }

    /// Adds a moment, as RFC 3339 writes it.
    package mutating func add(_ name: StaticString, _ moment: Timestamp?) {
        guard let moment else { return }
        addName(name)
        bytes.append(UInt8(ascii: "\""))
        clock.write(moment, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a duration, as milliseconds to the microsecond.
    package mutating func add(_ name: StaticString, milliseconds duration: Duration?) {
        guard let duration else { return }
        add(name, JSONNumber(thousandths: Int(clamping: duration.attoseconds / 1_000_000_000_000)))
    }

    /// Adds a value that is safe to write.
    package mutating func add(_ name: StaticString, _ json: RedactedJSON?) {
        guard let json else { return }
        addName(name)
        JSONWriter(layout: layout).write(json.value, to: &bytes, depth: depth)
    }

    private mutating func add(_ name: StaticString, _ number: JSONNumber) {
        guard case .decimal(let significand, let fractionDigits, let isNegative) = number.form else {
            addName(name)
            return number.write(to: &bytes)
        }
        addName(name, room: JSONNumber.longestDecimal) { cursor in
            cursor.put(significand, fractionDigits: Int(fractionDigits), isNegative: isNegative)
        }
    }

    // MARK: Layout

    mutating func begin(_ bracket: UInt8) {
        bytes.append(bracket)
        depth += 1
        isAtStart = true
    }

    mutating func begin(_ name: StaticString, _ bracket: UInt8) {
        addName(name, room: 1) { $0.put(bracket) }
        depth += 1
        isAtStart = true
    }

    mutating func end(_ bracket: UInt8) {
        depth -= 1
        if !isAtStart { layout.breakLine(depth: depth, &bytes) }
        bytes.append(bracket)
        isAtStart = false
    }

    mutating func separate() {
        if !isAtStart { bytes.append(UInt8(ascii: ",")) }
        layout.breakLine(depth: depth, &bytes)
        isAtStart = false
    }

    private mutating func addName(_ name: StaticString) {
        addName(name, room: 0) { _ in }
    }

    /// Adds what separates a member from the one before, its name, and what a closure writes, all in one piece.
    private mutating func addName(_ name: StaticString, room: Int, _ write: (inout ByteCursor) -> Void) {
        let (isFirst, depth, layout) = (isAtStart, depth, layout)
        isAtStart = false
        bytes.append(atMost: name.utf8CodeUnitCount + 2 * depth + 6 + room) { cursor in
            if !isFirst { cursor.put(UInt8(ascii: ",")) }
            if layout == .pretty {
                cursor.put(UInt8(ascii: "\n"))
                cursor.put(UInt8(ascii: " "), times: 2 * depth)
            }
            cursor.put(UInt8(ascii: "\""))
            cursor.put(name)
            cursor.put(UInt8(ascii: "\""))
            cursor.put(UInt8(ascii: ":"))
            if layout == .pretty { cursor.put(UInt8(ascii: " ")) }
            write(&cursor)
        }
    }

    private mutating func endName() {
        bytes.append(UInt8(ascii: ":"))
        if layout == .pretty { bytes.append(UInt8(ascii: " ")) }
    }
}

/// A value that is written as a JSON object, member by member.
public protocol JSONStreamable {
    /// Adds the members, each name once.
    func addMembers(to object: inout JSONStream)
}

extension JSONStreamable {
    /// The value as JSON text.
    package func jsonText(layout: JSONWriter.Layout = .compact) -> [UInt8] {
        var stream = JSONStream(layout: layout)
        stream.add(self)
        return stream.bytes
    }

    /// The value as JSON.
    package var json: JSON {
        // A value of the greatest depth may be in it, some levels further down.
        let document = jsonText().withUnsafeBufferPointer { bytes in
            var reading = JSONReading(bytes, maximumDepth: JSON.greatestDepth + 16)
            return try? reading.readDocument()
        }
        guard let document else { preconditionFailure("what was written is no JSON") }
        return document.value
    }
}
