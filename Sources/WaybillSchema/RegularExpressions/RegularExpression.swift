/// A compiled regular expression, in one of two dialects.
///
/// Swift's `Regex` defines `\d`, `\w`, `\s` and `$` differently, may take exponential time, and cannot be shared
/// between threads. This one takes time linear in the text. Patterns with back references or look-around, which only
/// ECMAScript has, can take longer; a number of steps limits their work.
package struct RegularExpression: Sendable {
    /// The syntax of a pattern, and what its parts match.
    package enum Dialect: Sendable {
        /// ECMA-262 with its `u` flag, as JSON Schema's `pattern` and `patternProperties` have it.
        case ecmaScript
        /// I-Regexp (RFC 9485), as JSONPath's `match` and `search` have it. `^` and `$` outside a class are the start
        /// and the end of the text, as in the mappings of section 5; a literal dollar is `[$]`.
        case iRegexp
    }

    /// The pattern as it was written.
    package let source: String
    private let program: PatternProgram

    /// Compiles a pattern.
    package init(_ source: String, _ dialect: Dialect) throws(RegularExpressionError) {
        self.source = source
        program = try PatternCompiler.compile(source, dialect)
    }

    /// Whether the whole text matches.
    ///
    /// - Parameter steps: how much work is still allowed; Negative afterwards if it was not enough; the result is
    ///   invalid then. An ECMAScript pattern with linear time uses none.
    package func matches(_ text: String, steps: inout Int) -> Bool {
        var text = text
        return text.withUTF8 { PatternMatcher.match(program, in: $0, isWhole: true, steps: &steps) } != nil
    }

    /// Whether some part of the text matches.
    package func occurs(in text: String, steps: inout Int) -> Bool {
        var text = text
        return text.withUTF8 { occurs(in: $0, steps: &steps) }
    }

    /// Whether some part of a text in UTF-8 matches.
    func occurs(in text: UnsafeBufferPointer<UInt8>, steps: inout Int) -> Bool {
        PatternMatcher.match(program, in: text, isWhole: false, steps: &steps) != nil
    }

    /// The text of the first group in the leftmost match, or of the whole match if no group took part in it. Only
    /// I-Regexp records the first group.
    package func firstCapture(in text: String, steps: inout Int) -> String? {
        var text = text
        return text.withUTF8 { utf8 in
            PatternMatcher.match(program, in: utf8, isWhole: false, steps: &steps)?.capture(in: utf8)
        }
    }

    /// What `firstCapture` finds, for each match from left to right. A match begins where the one before it ends, or
    /// behind that.
    package func captures(in text: String, steps: inout Int) -> [String] {
        var text = text
        return text.withUTF8 { utf8 in
            var captures: [String] = []
            var start = 0
            while start <= utf8.count,
                let match = PatternMatcher.match(program, in: utf8, from: start, isWhole: false, steps: &steps)
            {
                // Each search has marks for the whole text.
                steps -= 1 + utf8.count / 64
                if steps < 0 { break }
                captures.append(match.capture(in: utf8))
                start = match.range.upperBound
                guard match.range.isEmpty else { continue }
                // After a match of nothing, the next one begins behind the next code point.
                start += 1
                while start < utf8.count, utf8[start] & 0xC0 == 0x80 { start += 1 }
            }
            return captures
        }
    }
}

/// Why a pattern cannot be compiled.
package struct RegularExpressionError: Error, Sendable, Equatable {
    /// What is wrong, in one clause without a full stop.
    package var message: String
    /// The code point of the pattern that it was found at, from 0.
    package var offset: Int
}
