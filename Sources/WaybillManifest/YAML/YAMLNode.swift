package import WaybillDiagnostics

/// A value of a YAML document and the exact place where it stands.
///
/// Nodes never change, and an alias is the very node that its anchor names, so that copying one costs nothing.
package final class YAMLNode: Sendable {
    /// The three shapes of a value.
    package enum Content: Sendable {
        /// A text, number, boolean or null.
        case scalar(YAMLScalar)
        /// A list.
        case sequence([YAMLNode])
        /// Names and values.
        case mapping(YAMLMapping)
    }

    /// What is stored of the content; the place of a scalar is that of its node.
    private enum Storage {
        case scalar(text: String, YAMLScalar.Style, YAMLScalar.Tag?)
        case sequence([YAMLNode])
        case mapping(YAMLMapping)
    }

    /// From the first to the last byte of the value itself: without its tag and anchor, and without the comments, blank
    /// lines and line breaks behind it. Quotes and brackets belong to it, and so does the `|` of a block.
    package let span: SourceSpan

    private let storage: Storage

    /// The tag and the anchor; most nodes have neither, so they are kept apart.
    private let properties: YAMLProperties?

    /// A scalar at a place.
    init(
        text: String,
        style: YAMLScalar.Style,
        tag: YAMLScalar.Tag?,
        span: SourceSpan,
        properties: YAMLProperties? = nil
    ) {
        storage = .scalar(text: text, style, tag)
        self.span = span
        self.properties = properties
    }

    /// A sequence at a place.
    init(sequence elements: [YAMLNode], span: SourceSpan, properties: YAMLProperties?) {
        storage = .sequence(elements)
        self.span = span
        self.properties = properties
    }

    /// A mapping at a place.
    init(mapping: YAMLMapping, span: SourceSpan, properties: YAMLProperties?) {
        storage = .mapping(mapping)
        self.span = span
        self.properties = properties
    }

    /// The value.
    package var content: Content {
        switch storage {
        case .scalar(let text, let style, let tag):
            .scalar(YAMLScalar(text: text, style: style, tag: tag, span: span))
        case .sequence(let elements): .sequence(elements)
        case .mapping(let mapping): .mapping(mapping)
        }
    }

    /// The text of the scalar, if the node is one.
    package var text: String? {
        if case .scalar(let text, _, _) = storage { text } else { nil }
    }

    /// The tag as written, such as `!!str`.
    package var tag: Spanned<String>? { properties?.tag }

    /// The name of the anchor without its `&`; the span has the `&`.
    package var anchor: Spanned<String>? { properties?.anchor }

    /// The scalar, if the node is one.
    package var scalar: YAMLScalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The elements, if the node is a sequence.
    package var sequence: [YAMLNode]? {
        if case .sequence(let elements) = storage { elements } else { nil }
    }

    /// The entries, if the node is a mapping.
    package var mapping: YAMLMapping? {
        if case .mapping(let mapping) = storage { mapping } else { nil }
    }

    /// The value of a name, if the node is a mapping that has it.
    package subscript(name: String) -> YAMLNode? { mapping?[name] }
}

/// What may stand before a value: `!tag` and `&anchor`.
final class YAMLProperties: Sendable {
    let tag: Spanned<String>?
    let anchor: Spanned<String>?

    init(tag: Spanned<String>?, anchor: Spanned<String>?) {
        self.tag = tag
        self.anchor = anchor
    }
}
