import WaybillDiagnostics

/// A pattern for a whole string, in which `*` matches any string, `?` matches one code point and, in file names, `[…]`
/// matches one code point of a class.
package struct Glob: Sendable {
    private enum Token {
        case scalar(Unicode.Scalar)
        case anyScalar
        case anyText
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .scalar(let wanted): wanted == scalar
            case .anyScalar: true
            case .anyText: false
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    private var tokens: [Token]

    /// Creates a pattern in which only `*` and `?` are special.
    package init(_ pattern: String) {
        tokens = pattern.unicodeScalars.map { $0 == "*" ? .anyText : $0 == "?" ? .anyScalar : .scalar($0) }
    }

    /// Parses the pattern of a file's name, in which `[…]` is a class and the character after `\` is a literal.
    init(name text: Substring.UnicodeScalarView) throws(Diagnostic) {
        tokens = []
        var rest = text
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": tokens.append(.anyText)
            case "?": tokens.append(.anyScalar)
            case "[": tokens.append(try Self.parseClass(&rest))
            case "\\":
                guard let next = rest.popFirst() else {
                    throw Diagnostic("invalid-glob", "a name in the pattern ends in a single \\")
                }
                tokens.append(.scalar(next))
            default: tokens.append(.scalar(scalar))
            }
        }
    }

    /// The only string that matches; `nil` if the pattern has wildcards.
    var literal: String? {
        var text = String.UnicodeScalarView()
        for token in tokens {
            guard case .scalar(let scalar) = token else { return nil }
            text.append(scalar)
        }
        return String(text)
    }

    /// Whether the name of a file matches. A name that starts with a dot matches only if the pattern does too.
    package func matches(name: String) -> Bool {
        if name.unicodeScalars.first == "." {
            guard case .scalar(".") = tokens.first else { return false }
        }
        return matches(name)
    }

    /// Whether a whole string matches. The time is at most proportional to the product of the lengths.
    package func matches(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars)
        var at = 0
        var wanted = 0
        var star: (wanted: Int, at: Int)?
        while at < text.count {
            if wanted < tokens.count, case .anyText = tokens[wanted] {
                star = (wanted, at)
                wanted += 1
            } else if wanted < tokens.count, tokens[wanted].matches(text[at]) {
                wanted += 1
                at += 1
            } else if let last = star {
                star = (last.wanted, last.at + 1)
                wanted = last.wanted + 1
                at = last.at + 1
            } else {
                return false
            }
        }
        return tokens[wanted...].allSatisfy { if case .anyText = $0 { true } else { false } }
    }

    /// Parses a class after its `[`, with the closing `]`.
    private static func parseClass(_ rest: inout Substring.UnicodeScalarView) throws(Diagnostic) -> Token {
        let whole = "[" + String(rest)
        func next() throws(Diagnostic) -> Unicode.Scalar {
            guard let scalar = rest.popFirst() else {
                throw Diagnostic(
                    "invalid-glob",
                    "the [ of '\(whole)' is never closed",
                    help: ["A literal [ is written \\[."]
                )
            }
            return scalar
        }
        func nextMember() throws(Diagnostic) -> Unicode.Scalar {
            let scalar = try next()
            return scalar == "\\" ? try next() : scalar
        }
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while rest.first != "]" || ranges.isEmpty {
            if rest.first == "[", rest.dropFirst().first == ":" {
                throw Diagnostic("invalid-glob", "named classes such as [:alpha:] are not supported, as in '\(whole)'")
            }
            let lower = try nextMember()
            var upper = lower
            if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
                rest.removeFirst()
                upper = try nextMember()
            }
            guard lower <= upper else {
                throw Diagnostic("invalid-glob", "the range \(lower)-\(upper) in '\(whole)' goes backwards")
            }
            ranges.append(lower...upper)
        }
        rest.removeFirst()
        return .oneOf(ranges, isNegated: isNegated)
    }
}
