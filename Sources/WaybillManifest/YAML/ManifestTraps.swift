import WaybillData
import WaybillDiagnostics

/// What is valid YAML and surely not what the author of a manifest meant, so that it is told before the shape is checked.
struct ManifestTraps {
    private(set) var findings: [Diagnostic] = []

    /// Nodes with an anchor that were looked at; aliases lead to them again.
    private var seen: Set<ValueTree.Index> = []

    /// Looks at a value and everything in it. The recursion is as deep as the tree, which the reader has limited.
    init(in root: YAMLNode) {
        visit(root)
    }

    private mutating func visit(_ node: YAMLNode) {
        if let anchor = node.anchor {
            guard seen.insert(node.index).inserted else { return }
            if node.isEmptyText { report(anchor) }
        }
        for element in node.sequence ?? [] { visit(element) }
        var previous: YAMLNode?
        for (key, value) in node.mapping?.entries ?? .empty {
            if value.isEmptyText, key.lacksColon { report(key, behind: previous) }
            visit(value)
            previous = value
        }
    }

    private mutating func report(_ anchor: Spanned<String>) {
        findings.append(
            Diagnostic(
                "anchor-of-nothing",
                "'&' gives the value behind it a name, and there is none",
                at: anchor.span,
                help: ["A text that begins with '&' must be quoted: '&\(anchor.value)'."]
            )
        )
    }

    private mutating func report(_ key: YAMLNode, behind previous: YAMLNode?) {
        let text = key.text ?? ""
        findings.append(
            Diagnostic(
                "missing-colon",
                "the entry '\(text)' has no ':'",
                at: key.span,
                secondary: previous.map { [.init($0.span, "the ',' behind this begins another entry")] } ?? [],
                help: [
                    previous == nil
                        ? "Write '\(text): null' if it has no value."
                        : "Between braces a text with ',' in it must be quoted. Write '\(text): null' for an entry without value."
                ]
            )
        )
    }
}

extension YAMLNode {
    /// Whether the node is a value of which nothing is written.
    fileprivate var isEmptyText: Bool { span.range.isEmpty && text?.isEmpty == true }

    /// Whether no `:` follows the key, which so has no value either.
    fileprivate var lacksColon: Bool {
        let bytes = span.file.bytes
        var index = span.range.upperBound
        var isComment = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): isComment = false
            case UInt8(ascii: "#"): isComment = true
            case _ where isComment, UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case let byte: return byte != UInt8(ascii: ":")
            }
            index += 1
        }
        return true
    }
}
