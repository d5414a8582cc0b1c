import WaybillJSON

/// Writes example values as YAML that a person would write.
enum YAMLExample {
    /// A key with its value: `timeout: 15s`. A value that is too long for one line is a block.
    static func text(_ key: String, _ value: JSON, indent: String = "") -> String {
        let line = "\(indent)\(scalar(key, inFlow: false)): \(flow(value, inFlow: false))"
        guard line.count > 80 else { return line + "\n" }
        switch value {
        case .object(let members):
            let start = "\(indent)\(scalar(key, inFlow: false)):\n"
            return members.reduce(start) { $0 + text($1.name, $1.value, indent: indent + "  ") }
        case .array(let elements):
            let start = "\(indent)\(scalar(key, inFlow: false)):\n"
            return elements.reduce(start) { $0 + "\(indent)  - \(flow($1, inFlow: false))\n" }
        default: return line + "\n"
        }
    }

    /// A value on one line.
    static func flow(_ value: JSON, inFlow: Bool) -> String {
        switch value {
        case .string(let text): scalar(text, inFlow: inFlow)
        case .array(let elements): "[\(elements.map { flow($0, inFlow: true) }.joined(separator: ", "))]"
        case .object(let members):
            "{\(members.map { "\(scalar($0.name, inFlow: true)): \(flow($0.value, inFlow: true))" }.joined(separator: ", "))}"
        default: JSONWriter().string(value)
        }
    }

    /// A string, in quotes if YAML would read something else without them.
    private static func scalar(_ text: String, inFlow: Bool) -> String {
        let structure = inFlow ? ",[]{}" : ""
        let starts = "!&*%@`\"'|>#?-:,[]{} \t"
        let isPlain =
            !text.isEmpty && !starts.contains(text.first ?? " ") && !text.hasSuffix(" ") && !text.hasSuffix(":")
            && !text.contains(": ") && !text.contains(" #") && !text.contains { structure.contains($0) || $0.isNewline }
            && !["true", "false", "null", "yes", "no", "on", "off", "~"].contains(text.lowercased())
            && !looksLikeNumber(text)
        return isPlain ? text : JSONWriter().string(.string(text))
    }

    /// Whether YAML may read a string as a number or a date: `1.10`, `0x1f`, `2026-11-23`.
    private static func looksLikeNumber(_ text: String) -> Bool {
        "0123456789+-.".contains(text.first ?? " ")
            && text.allSatisfy { "0123456789abcdefABCDEFxXoO.+-_:".contains($0) }
    }
}
