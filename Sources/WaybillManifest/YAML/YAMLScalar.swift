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

    /// The comment that cuts the string off: one in the same line while a bracket, quote or `${` is open.
    package var cuttingComment: SourceSpan? {
        guard style == .plain else { return nil }
        let bytes = span.file.bytes
        var start = span.range.upperBound
        while start < bytes.count, [0x20, 0x09].contains(bytes[start]) { start += 1 }
        guard start > span.range.upperBound, start < bytes.count, bytes[start] == UInt8(ascii: "#"), isUnfinished else {
            return nil
        }
        let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
        return span.file.span(start..<end)
    }

    private var isUnfinished: Bool {
        var depth = 0
        var quote: Unicode.Scalar?
        var previous: Unicode.Scalar = " "
        var isEscaped = false
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if let open = quote {
                if scalar == open { quote = nil }
            } else if scalar == "'" || scalar == "\"" {
                // After a letter, it is an apostrophe.
                if !previous.properties.isAlphabetic { quote = scalar }
            } else if scalar == "(" || scalar == "{" && previous == "$" {
                depth += 1
            } else if scalar == ")" || scalar == "}" {
                depth = max(0, depth - 1)
            }
        }
        return depth > 0 || quote != nil
    }
}
