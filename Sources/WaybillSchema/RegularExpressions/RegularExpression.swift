import WaybillJSON

/// A compiled regular expression, in one of two dialects.
///
/// Swift's `Regex` defines `\d`, `\w`, `\s` and `$` differently, may take exponential time, and cannot be shared
/// between threads. This type takes time linear in the length of the string. Patterns with backreferences or
/// look-around, which only ECMAScript has, can take longer; a number of steps limits their work.
package struct RegularExpression: Sendable {
    /// The syntax of a pattern and the meaning of its parts.
    package enum Dialect: Sendable {
        /// ECMA-262 with its `u` flag, as in JSON Schema's `pattern` and `patternProperties`.
        case ecmaScript
        /// I-Regexp (RFC 9485), as in JSONPath's `match` and `search`. Outside a class, `^` and `$` are the start and
        /// the end of the string, as in the mappings of section 5; a literal dollar is `[$]`. The lazy quantifiers of ECMA-262
        /// (`*?`, `+?`, `??`, `{2,5}?`) are an extension.
        case iRegexp
    }

    /// The pattern as it was written.
    package let source: String
    private let program: PatternProgram

    /// Whether it has lazy quantifiers, which RFC 9485 does not define.
    package var hasLazyQuantifiers: Bool { program.hasLazyQuantifiers }

    /// The maximum size of a pattern in bytes, which bounds the time of compiling one from a server.
    private static let maximumBytes = 1 << 16

    /// Compiles a pattern.
    package init(_ source: String, _ dialect: Dialect) throws(RegularExpressionError) {
        guard source.utf8.count <= Self.maximumBytes else {
            throw RegularExpressionError(message: "it has more than \(Self.maximumBytes) bytes", offset: 0)
        }
        self.source = source
        program = try PatternCompiler.compile(source, dialect)
    }

    /// Returns whether the whole string matches.
    ///
    /// - Parameter steps: The remaining work; negative afterwards if it was not enough, and then the result is invalid.
    ///   An ECMAScript pattern with linear time uses none.
    package func matches(_ text: String, steps: inout Int) -> Bool {
        PatternMatcher.match(program, in: Array(text.utf8), isWhole: true, steps: &steps) != nil
    }

    /// Returns whether some part of the string matches.
    package func occurs(in text: String, steps: inout Int) -> Bool {
        PatternMatcher.match(program, in: Array(text.utf8), isWhole: false, steps: &steps) != nil
    }

    /// Returns the text of the first group in the leftmost match, or of the whole match if no group took part in it.
    /// Only I-Regexp records the first group.
    package func firstCapture(in text: String, steps: inout Int) -> String? {
        let utf8 = Array(text.utf8)
        return PatternMatcher.match(program, in: utf8, isWhole: false, steps: &steps)?.capture(in: utf8)
    }

    /// Returns what `firstCapture` would return for each match from left to right. A match starts at or after the end
    /// of the match before it.
    package func captures(in text: String, steps: inout Int) -> [String] {
        let utf8 = Array(text.utf8)
        var captures: [String] = []
        var start = 0
        while start <= utf8.count,
            let match = PatternMatcher.match(program, in: utf8, from: start, isWhole: false, steps: &steps)
        {
            // Each search has marks for the whole string.
            steps -= 1 + utf8.count / 64
            if steps < 0 || WorkLimit.isReached { break }
            captures.append(match.capture(in: utf8))
            start = match.range.upperBound
            guard match.range.isEmpty else { continue }
            // After an empty match, the next one starts after the next code point.
            start += 1
            while start < utf8.count, utf8[start] & 0xC0 == 0x80 { start += 1 }
        }
        return captures
    }
}

/// The reason why a pattern cannot be compiled.
package struct RegularExpressionError: Error, Sendable, Equatable {
    /// The error message: one clause without a full stop.
    package var message: String
    /// The location of the error, as the index of a code point of the pattern.
    package var offset: Int
}
