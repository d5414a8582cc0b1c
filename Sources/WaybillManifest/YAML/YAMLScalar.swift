package import WaybillDiagnostics
package import WaybillJSON

/// A text in a YAML document: what it says, how it was written, and where each part of it stands.
package struct YAMLScalar: Sendable {
    /// How a scalar can be written.
    package enum Style: Sendable {
        /// Without quotes.
        case plain
        /// `'…'`
        case singleQuoted
        /// `"…"`
        case doubleQuoted
        /// A block behind `|`.
        case literal
        /// A block behind `>`.
        case folded
    }

    /// The kinds of value that a tag can ask for.
    enum Tag: Sendable {
        case string, integer, float, boolean, null
    }

    /// The text after unfolding and unescaping. Of a plain scalar on one line it is every byte as written: `1.10` and
    /// `001` stay what they are.
    package let text: String

    /// How it was written.
    package let style: Style

    /// What an explicit tag says that it is.
    let tag: Tag?

    /// Where it stands, quotes and block indicator included.
    package let span: SourceSpan

    /// The value by the core schema of YAML 1.2 (section 10.3.2): `null`, `true`, `0x1F`, `.5` are what they look like
    /// when they are plain; everything quoted or in a block, and everything else, is a string.
    package var json: JSON {
        switch tag {
        case .string: .string(text)
        case .integer, .float, .boolean, .null: CoreSchema.value(of: text)
        case nil: style == .plain ? CoreSchema.value(of: text) : .string(text)
        }
    }
}
