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

    /// The file.
    package var file: SourceFile { tree.file }

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

    /// The entries of a mapping; none for any other node.
    package var entries: [YAMLMapping.Entry] { mapping?.entries ?? [] }

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
        (0..<tree.values.elementCount(of: index)).compactMap(element(at:))
    }

    /// Returns an element of a sequence; `nil` if it has fewer.
    func element(at position: Int) -> YAMLNode? {
        guard position < tree.values.elementCount(of: index) else { return nil }
        return YAMLNode(tree: tree, index: tree.values.element(at: position, of: index))
    }
}

extension YAMLNode: Equatable {
    /// Whether two nodes are the same position in the same tree.
    package static func == (left: YAMLNode, right: YAMLNode) -> Bool {
        left.tree === right.tree && left.index == right.index
    }
}

extension YAMLNode: DocumentLocations {
    /// Returns the node that a pointer refers to.
    package func node(at pointer: JSONPointer) -> YAMLNode? {
        var node = self
        for token in pointer.tokens {
            let next = node.kind == .array ? token.index.flatMap(node.element(at:)) : node[token.text]
            guard let next else { return nil }
            node = next
        }
        return node
    }

    /// Returns the location of the value that a pointer refers to.
    package func span(at pointer: JSONPointer) -> SourceSpan? { node(at: pointer)?.span }

    /// Returns the location of the name that a pointer ends in; `nil` for an element of a sequence and for the root.
    package func keySpan(at pointer: JSONPointer) -> SourceSpan? {
        guard let name = pointer.tokens.last?.text else { return nil }
        return node(at: JSONPointer(pointer.tokens.dropLast()))?.mapping?.entry(named: name)?.key.span
    }
}

/// The entries of a mapping in document order, with lookup by name.
///
/// Entries from a merge key (`<<`) are at the position of that key; their nodes keep their own locations.
package struct YAMLMapping: Sendable {
    /// A name and its value.
    package typealias Entry = (key: YAMLNode, value: YAMLNode)

    let tree: YAMLTree
    let index: ValueTree.Index

    /// All entries. A name occurs once, unless the reader has reported it as a duplicate.
    package var entries: [Entry] { (0..<tree.values.memberCount(of: index)).map(entry(at:)) }

    /// The names in order; a key that is not a scalar has none.
    package var names: [String] { entries.compactMap { $0.key.text } }

    /// The value of a name; `nil` if the mapping does not have it.
    package subscript(name: String) -> YAMLNode? { entry(named: name)?.value }

    /// Returns the entry of a name, for the span of the key.
    package func entry(named name: String) -> Entry? {
        tree.values.position(of: name, in: index).map(entry(at:))
    }

    /// Returns the entry at a position.
    func entry(at position: Int) -> Entry {
        let (key, value) = (tree.values.name(at: position, of: index), tree.values.value(at: position, of: index))
        return (YAMLNode(tree: tree, index: key), YAMLNode(tree: tree, index: value))
    }
}

/// A parsed YAML file: its values in a flat layout, and the style and location of each of them.
final class YAMLTree: Sendable {
    /// The location and style of a value.
    struct Mark {
        var range: Range<Int>
        /// The style and the tag of a scalar.
        var style = YAMLScalar.Style.plain
        var tag: YAMLScalar.Tag?
    }

    let file: SourceFile
    let values: ValueTree
    /// The marks by the index of the value.
    let marks: [Mark]
    /// The tags and anchors; most values have neither.
    let properties: [ValueTree.Index: YAMLProperties]

    init(file: SourceFile, values: ValueTree, marks: [Mark], properties: [ValueTree.Index: YAMLProperties]) {
        self.file = file
        self.values = values
        self.marks = marks
        self.properties = properties
    }

    /// Returns the location of a value.
    func span(of value: ValueTree.Index) -> SourceSpan { file.span(marks[Int(value)].range) }
}

/// The properties before a value: `!tag` and `&anchor`.
struct YAMLProperties: Sendable {
    let tag: Spanned<String>?
    let anchor: Spanned<String>?
}
