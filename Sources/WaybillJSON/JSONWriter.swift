/// Writes values as JSON text (RFC 8259), with each number as it was written and no unnecessary escapes.
///
/// It is not recursive, so it can write values of any depth.
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
    /// Whether members are sorted by the code points of their names. Otherwise they keep their order.
    package var sortsNames = false

    /// Creates a writer with a layout. By default, members keep their order.
    package init(layout: Layout = .compact, sortsNames: Bool = false) {
        self.layout = layout
        self.sortsNames = sortsNames
    }

    /// Returns the text of a value.
    package func string(_ value: JSON) -> String {
        var bytes: [UInt8] = []
        write(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of a value, in UTF-8.
    package func write(_ value: JSON, to output: inout [UInt8]) {
        write(value, to: &output, depth: 0)
    }

    /// Appends the text of a value that is nested at a depth.
    package func write(_ value: JSON, to output: inout [UInt8], depth outer: Int) {
        var containers: [Container] = []
        writeStart(of: value, to: &output, containers: &containers)
        // The innermost container is taken off the stack while its scalars are written.
        while var container = containers.popLast() {
            let depth = containers.count + 1
            while container.next < container.count, containers.count < depth {
                let index = container.next
                container.next += 1
                if index > 0 { output.append(UInt8(ascii: ",")) }
                layout.breakLine(depth: outer + depth, &output)
                let value: JSON
                switch container.content {
                case .elements(let elements): value = elements[index]
                case .members(let members, let order):
                    let member = members[order?[index] ?? index]
                    Self.write(member.name, to: &output)
                    output.append(UInt8(ascii: ":"))
                    if layout == .pretty { output.append(UInt8(ascii: " ")) }
                    value = member.value
                }
                if value.isContainer { containers.append(container) }
                writeStart(of: value, to: &output, containers: &containers)
            }
            guard containers.count < depth else { continue }
            if container.count > 0 { layout.breakLine(depth: outer + containers.count, &output) }
            output.append(container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        }
    }

    /// An array or object that is not finished.
    private struct Container {
        enum Content {
            case elements([JSON])
            /// The members, and the order of their positions if they are sorted.
            case members(JSONObject, order: [Int]?)
        }

        let content: Content
        var next = 0

        var isObject: Bool { if case .members = content { true } else { false } }

        var count: Int {
            switch content {
            case .elements(let elements): elements.count
            case .members(let members, _): members.count
            }
        }
    }

    /// Writes a scalar, or the opening bracket of a container, which becomes the innermost one.
    private func writeStart(of value: JSON, to output: inout [UInt8], containers: inout [Container]) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: value ? "true".utf8 : "false".utf8)
        case .number(let number): number.write(to: &output)
        case .string(let string): Self.write(string, to: &output)
        case .bytes(let bytes): Self.write(Base64.encode(bytes), to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            containers.append(Container(content: .elements(elements)))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            containers.append(Container(content: .members(members, order: sortsNames ? Self.order(of: members) : nil)))
        }
    }

    private static func order(of members: JSONObject) -> [Int] {
        let names = members.names
        return names.indices.sorted { names[$0].precedesByCodePoints(names[$1]) }
    }
}

extension JSON {
    fileprivate var isContainer: Bool {
        switch self {
        case .array, .object: true
        case .null, .bool, .number, .string, .bytes: false
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
