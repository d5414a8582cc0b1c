package import WaybillDiagnostics
package import WaybillJSON

/// A value of a YAML document and its exact location.
///
/// A node is a position in an immutable tree, and an alias is the same node as its anchor, so copying a node is cheap.
package struct YAMLNode: Sendable {
    /// The three shapes of a value.
    package enum Content: Sendable {
        /// A string, number, boolean or null.
        case scalar(YAMLScalar)
        /// A list.
        case sequence([YAMLNode])
        /// Names and values.
        case mapping(YAMLMapping)
    }

    let tree: YAMLTree
    let index: ValueTree.Index

    /// The kind of value, with scalars resolved by the core schema of YAML 1.2.
    package var kind: JSON.Kind { tree.values.kind(of: index) }

    /// The span of the value itself, including its quotes, brackets or the `|` of a block, but without its tag and
    /// anchor and without the comments, blank lines and line breaks after it.
    package var span: SourceSpan { tree.span(of: index) }

    /// The value.
    package var content: Content {
        switch kind {
        case .array: .sequence(elements)
        case .object: .mapping(YAMLMapping(tree: tree, index: index))
        default: .scalar(wholeScalar)
        }
    }

    /// The string of the scalar, if the node is one.
    package var text: String? {
        tree.values.isScalar(index) ? tree.values.text(of: index) : nil
    }

    /// The tag as written, such as `!!str`.
    package var tag: Spanned<String>? { tree.properties[index]?.tag }

    /// The name of the anchor without its `&`; the span includes the `&`.
    package var anchor: Spanned<String>? { tree.properties[index]?.anchor }

    /// The scalar, if the node is one.
    package var scalar: YAMLScalar? { tree.values.isScalar(index) ? wholeScalar : nil }

    /// The elements, if the node is a sequence.
    package var sequence: [YAMLNode]? { kind == .array ? elements : nil }

    /// The entries, if the node is a mapping.
    package var mapping: YAMLMapping? { kind == .object ? YAMLMapping(tree: tree, index: index) : nil }

    /// The value of a name, if the node is a mapping that has it.
    package subscript(name: String) -> YAMLNode? { mapping?[name] }

    /// The value as JSON, with scalars resolved by the core schema of YAML 1.2.
    ///
    /// The names of members are the strings of the keys. An entry whose key is not a scalar has no name in JSON and is
    /// left out; `YAMLReader.read` reports it.
    package var json: JSON { tree.values.json(of: index) }

    private var wholeScalar: YAMLScalar {
        let mark = tree.marks[Int(index)]
        return YAMLScalar(text: tree.values.text(of: index), style: mark.style, tag: mark.tag, span: span)
    }

    private var elements: [YAMLNode] {
        (0..<tree.values.elementCount(of: index)).map {
            YAMLNode(tree: tree, index: tree.values.element(at: $0, of: index))
        }
    }
}

extension YAMLNode: Equatable {
    /// Whether two nodes are the same position in the same tree.
    package static func == (left: YAMLNode, right: YAMLNode) -> Bool {
        left.tree === right.tree && left.index == right.index
    }
}
