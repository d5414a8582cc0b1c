/// Writes values as JSON text (RFC 8259), each number as it was written and nothing escaped that need not be.
///
/// There is no recursion, so that values of any depth can be written.
package struct JSONWriter: Sendable {
    /// Where white space goes.
    package enum Layout: Sendable {
        /// Nowhere: the whole value on one line.
        case compact
        /// For people: an element or member a line, indented by two spaces a level; no line break at the end.
        case pretty
    }

    /// Where white space goes.
    package var layout: Layout
    /// Whether members are ordered by the code points of their names, rather than left in their own order.
    package var sortsNames = false

    /// A writer with a layout, which leaves members in their order unless told otherwise.
    package init(layout: Layout = .compact, sortsNames: Bool = false) {
        self.layout = layout
        self.sortsNames = sortsNames
    }

    /// The text of a value.
    package func string(_ value: JSON) -> String {
        var bytes: [UInt8] = []
        write(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of a value, in UTF-8.
    package func write(_ value: JSON, to output: inout [UInt8]) {
        write(value, to: &output, depth: 0)
    }

    /// Appends the text of a value that stands so many levels deep.
    package func write(_ value: JSON, to output: inout [UInt8], depth outer: Int) {
        var containers: [Container] = []
        writeStart(of: value, to: &output, containers: &containers)
        // The innermost one is taken out while its scalars are written.
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

    /// An array or object that has been begun.
    private struct Container {
        enum Content {
            case elements([JSON])
            /// Members, and the order of their positions if it is not their own.
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

    /// Writes a scalar, or the opening bracket of what is then the innermost container.
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
    /// Begins a line for an element, a member or a closing bracket.
    package func breakLine(depth: Int, _ output: inout [UInt8]) {
        guard self == .pretty else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }
}

extension JSON {
    /// The value in words: a string without its quotes, anything else as JSON.
    package var words: String { string ?? JSONWriter().string(self) }
}
