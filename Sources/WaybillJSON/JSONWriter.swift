/// Writes values as JSON text (RFC 8259), with each number as it was written and no unnecessary escapes.
package struct JSONWriter: Sendable {
    /// The placement of white space.
    package enum Layout: Sendable {
        /// None: the whole value is on one line.
        case compact
        /// For people: one element or member per line, indented by two spaces per level, without a line break at the
        /// end.
        case pretty
    }

    /// The placement of white space.
    package var layout: Layout

    /// Creates a writer with a layout.
    package init(layout: Layout = .compact) {
        self.layout = layout
    }

    /// Returns the text of a value.
    package func string(_ value: JSON) -> String {
        var bytes: [UInt8] = []
        write(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of a value, in UTF-8, which may be nested at a depth. It recurses as deep as the value is nested.
    package func write(_ value: JSON, to output: inout [UInt8], depth: Int = 0) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: value ? "true".utf8 : "false".utf8)
        case .number(let number): number.write(to: &output)
        case .string(let string): Self.write(string, to: &output)
        case .bytes(let bytes): Self.write(Base64.encode(bytes), to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                layout.breakLine(depth: depth + 1, &output)
                write(element, to: &output, depth: depth + 1)
            }
            if !elements.isEmpty { layout.breakLine(depth: depth, &output) }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, (name, value)) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                layout.breakLine(depth: depth + 1, &output)
                Self.write(name, to: &output)
                output.append(UInt8(ascii: ":"))
                if layout == .pretty { output.append(UInt8(ascii: " ")) }
                write(value, to: &output, depth: depth + 1)
            }
            if !members.isEmpty { layout.breakLine(depth: depth, &output) }
            output.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONWriter.Layout {
    /// Starts a line for an element, a member or a closing bracket.
    package func breakLine(depth: Int, _ output: inout [UInt8]) {
        guard self == .pretty else { return }
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<depth * 2 { output.append(UInt8(ascii: " ")) }
    }
}

extension JSON {
    /// The value for messages: a string without its quotes, anything else as JSON.
    package var words: String { string ?? JSONWriter().string(self) }
}
