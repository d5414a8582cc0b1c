package import WaybillDiagnostics
package import WaybillJSON

/// A scalar of a YAML document: its string, its style and the location of each part.
package struct YAMLScalar: Sendable {
    /// How a scalar can be written.
    package enum Style: Sendable {
        /// Without quotes.
        case plain
        /// `'…'`
        case singleQuoted
        /// `"…"`
        case doubleQuoted
        /// A block after `|`.
        case literal
        /// A block after `>`.
        case folded
    }

    /// The kinds of value that a tag can require.
    enum Tag: Sendable {
        case string, integer, float, boolean, null
    }

    /// The string after unfolding and unescaping. A plain scalar on one line keeps every byte as written: `1.10` and
    /// `001` are unchanged.
    package let text: String

    /// The style in which it was written.
    package let style: Style

    /// The kind of value that an explicit tag requires.
    let tag: Tag?

    /// The location, including quotes and the block indicator.
    package let span: SourceSpan

    /// The value by the core schema of YAML 1.2 (section 10.3.2). Plain scalars such as `null`, `true`, `0x1F` and `.5`
    /// have the corresponding type; quoted scalars, blocks and all other scalars are strings.
    package var json: JSON {
        switch tag {
        case .string: .string(text)
        case .integer, .float, .boolean, .null: CoreSchema.value(of: text)
        case nil: style == .plain ? CoreSchema.value(of: text) : .string(text)
        }
    }
}
