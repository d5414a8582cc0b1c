package import WaybillDiagnostics
package import WaybillFormats
package import WaybillJSON

/// JSON text (RFC 8259) that is written piece by piece, without a value for the whole document in memory.
///
/// In an object, everything is written with a name; in an array, without one. Members whose value is `nil` are left
/// out.
package struct JSONStream: Sendable {
    /// The text so far, in UTF-8.
    package private(set) var bytes: [UInt8]
    private let layout: JSONWriter.Layout
    /// Whether the layout has line breaks. It is checked for each member.
    private let isPretty: Bool
    private var depth = 0
    /// Whether nothing has been written yet in the innermost array or object.
    private var isAtStart = true

    /// Creates an empty text, with white space according to a layout.
    package init(layout: JSONWriter.Layout = .compact) {
        self.layout = layout
        isPretty = layout == .pretty
        bytes = []
    }

    /// Removes the text, and optionally keeps its memory.
    package mutating func removeAll(keepingCapacity: Bool) {
        bytes.removeAll(keepingCapacity: keepingCapacity)
    }

    /// The number of bytes written.
    package var count: Int { bytes.count }

    /// Adds a member `sum` to the last object written, which starts at an offset: the checksum of its bytes, without
    /// the member itself and the closing brace.
    package mutating func addChecksum(from start: Int) {
        Self.addChecksum(to: &bytes, from: start)
    }

    private static func addChecksum(to text: inout [UInt8], from start: Int) {
        text.removeLast()
        let checksum = Checksum.text(of: text[start...])
        text.append(contentsOf: ",\"sum\":\"".utf8)
        text.append(contentsOf: checksum.utf8)
        text.append(contentsOf: "\"}".utf8)
    }

    /// Returns the line of a journal with an event that has another number than in the journal that it comes from.
    static func journalLine(_ event: JSONObject, number: Int) -> [UInt8] {
        var event = event
        event["seq"] = .number(JSONNumber(number))
        _ = event.removeValue(named: "sum")
        var object: [UInt8] = []
        var writer = JSONWriter()
        writer.writesBytesAsText = true
        writer.write(.object(event), to: &object)
        return journalLine(object)
    }

    /// Returns the line of a journal with an object, to which the checksum is added.
    static func journalLine(_ object: [UInt8]) -> [UInt8] {
        var line = object
        addChecksum(to: &line, from: 0)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Whether the checksum of an object that `addChecksum` completed is correct; `nil` if it has none.
    package static func hasRightChecksum(_ object: [UInt8]) -> Bool? {
        guard object.suffix(2) == Array("\"}".utf8)[...],
            let quote = object.dropLast(2).suffix(16).lastIndex(of: UInt8(ascii: "\""))
        else { return nil }
        let content = object[..<quote]
        let name = Array(",\"sum\":".utf8)
        guard content.suffix(name.count) == name[...] else { return nil }
        return Checksum.text(of: content.dropLast(name.count)).utf8.elementsEqual(object[(quote + 1)...].dropLast(2))
    }

    /// Writes a line break between values.
    package mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
    }

    // MARK: Values

    /// Writes an object with the members of a value.
    package mutating func add(_ object: some JSONStreamable) {
        add { object.addMembers(to: &$0) }
    }

    /// Writes an object with the members that a function adds.
    package mutating func add(_ addMembers: (inout JSONStream) -> Void) {
        begin(UInt8(ascii: "{"))
        addMembers(&self)
        end(UInt8(ascii: "}"))
    }

    /// Writes a string.
    package mutating func add(_ text: String) {
        JSONWriter.write(text, to: &bytes)
    }

    // MARK: Members

    /// Adds a member whose value is an object.
    package mutating func add(_ name: StaticString, _ object: (some JSONStreamable)?) {
        guard let object else { return }
        addName(name)
        add(object)
    }

    /// Adds a member whose value is an object with the members that a function adds.
    package mutating func add(_ name: StaticString, _ addMembers: (inout JSONStream) -> Void) {
        addName(name)
        add(addMembers)
    }

    /// Adds a member whose value is an array of objects.
    package mutating func add(_ name: StaticString, each objects: [some JSONStreamable]) {
        add(name, each: objects) { $0.addMembers(to: &$1) }
    }

    /// Adds a member whose value is an array with an object for each value. A function adds the object's members.
    package mutating func add<Value>(
        _ name: StaticString,
        each values: [Value],
        _ addMembers: (Value, inout JSONStream) -> Void
    ) {
        addName(name)
        begin(UInt8(ascii: "["))
        for value in values {
            separate()
            add { addMembers(value, &$0) }
        }
        end(UInt8(ascii: "]"))
    }

    /// Adds a member whose value is an array of strings.
    package mutating func add(_ name: StaticString, each texts: [String]) {
        addName(name)
        begin(UInt8(ascii: "["))
        for text in texts {
            separate()
            add(text)
        }
        end(UInt8(ascii: "]"))
    }

    /// Adds a string.
    package mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        addName(name)
        add(text)
    }

    /// Adds a string that is safe to write.
    package mutating func add(_ name: StaticString, _ text: RedactedText?) {
        add(name, text?.string)
    }

    /// Adds an integer.
    package mutating func add(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        add(name, JSONNumber(number))
    }

    /// Adds an object with a name that is computed at run time, and with the members that a function adds.
    mutating func add(named name: String, _ addMembers: (inout JSONStream) -> Void) {
        addName(name)
        add(addMembers)
    }

    /// Adds a string with a name that is computed at run time.
    mutating func add(named name: String, _ text: String) {
        addName(name)
        add(text)
    }

    /// Adds an integer with a name that is computed at run time.
    package mutating func add(named name: String, _ number: Int) {
        addName(name)
        JSONNumber(number).write(to: &bytes)
    }

    /// Adds the start of a location in a text, as `file`, `line` and `column`.
    package mutating func add(_ location: SourceLocation?) {
        guard let location else { return }
        add("file", location.file)
        add("line", location.line)
        add("column", location.column)
    }

    /// Adds a boolean.
    package mutating func add(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        addName(name)
        bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    }

    /// Adds a timestamp in RFC 3339 format.
    package mutating func add(_ name: StaticString, _ moment: Timestamp?) {
        guard let moment else { return }
        addName(name)
        bytes.append(UInt8(ascii: "\""))
        moment.write(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a duration in milliseconds, with microsecond precision.
    package mutating func add(_ name: StaticString, milliseconds duration: Duration?) {
        guard let duration else { return }
        add(name, JSONNumber(thousandths: Int(clamping: duration.attoseconds / 1_000_000_000_000)))
    }

    /// Adds a value that is safe to write.
    package mutating func add(_ name: StaticString, _ json: RedactedJSON?) {
        guard let json else { return }
        addName(name)
        if let encoded = json.bytes, !isPretty {
            bytes.append(contentsOf: encoded)
        } else {
            JSONWriter(layout: layout).write(json.value, to: &bytes, depth: depth)
        }
    }

    private mutating func add(_ name: StaticString, _ number: JSONNumber) {
        addName(name)
        number.write(to: &bytes)
    }

    // MARK: Layout

    private mutating func begin(_ bracket: UInt8) {
        bytes.append(bracket)
        depth += 1
        isAtStart = true
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if isPretty, !isAtStart { layout.breakLine(depth: depth, &bytes) }
        bytes.append(bracket)
        isAtStart = false
    }

    private mutating func separate() {
        if !isAtStart { bytes.append(UInt8(ascii: ",")) }
        if isPretty { layout.breakLine(depth: depth, &bytes) }
        isAtStart = false
    }

    /// Adds a name that needs no escaping.
    private mutating func addName(_ name: StaticString) {
        separate()
        bytes.append(addingCapacity: name.utf8CodeUnitCount + 3) { output in
            output.append(UInt8(ascii: "\""))
            for index in 0..<name.utf8CodeUnitCount { unsafe output.append(name.utf8Start[index]) }
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: ":"))
        }
        if isPretty { bytes.append(UInt8(ascii: " ")) }
    }

    private mutating func addName(_ name: String) {
        separate()
        add(name)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
    }
}

/// A value that is written as a JSON object, member by member.
package protocol JSONStreamable {
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
        guard let json = try? JSONParser.ownFiles.parse(jsonText()) else {
            preconditionFailure("what was written is not JSON")
        }
        return json
    }
}
