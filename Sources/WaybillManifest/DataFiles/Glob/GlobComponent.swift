import WaybillDiagnostics

/// A pattern for one name in a path.
enum GlobComponent: Sendable {
    /// This name.
    case literal(String)
    /// Any names that match.
    case names(NamePattern)
    /// `**`: any number of folders, none included; at the end the files in them.
    case anyFolders
}

/// A pattern in which `*` stands for any text, `?` for one code point and `[…]` for one of some.
struct NamePattern: Sendable {
    fileprivate enum Token {
        case scalar(Unicode.Scalar)
        case anyScalar
        case anyText
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)
    }

    fileprivate var tokens: [Token] = []

    /// Whether a name that begins with a dot may match: only when the pattern begins with one too.
    private var matchesHidden: Bool {
        if case .scalar(".") = tokens.first { true } else { false }
    }

    /// Whether a whole name matches, in time proportional to the product of the lengths at worst.
    func matches(_ name: String) -> Bool {
        let text = Array(name.unicodeScalars)
        if text.first == ".", !matchesHidden { return false }
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
}

extension GlobComponent {
    /// Reads the pattern of one name, in which `\` takes the next character as it is.
    init(parsing text: Substring.UnicodeScalarView) throws(GlobFailure) {
        if text.elementsEqual("**".unicodeScalars) {
            self = .anyFolders
            return
        }
        var pattern = NamePattern()
        let literal = try pattern.parse(text)
        self = literal.map { .literal($0) } ?? .names(pattern)
    }
}

extension NamePattern {
    /// Reads the tokens; returns the text where all of them are themselves.
    fileprivate mutating func parse(_ text: Substring.UnicodeScalarView) throws(GlobFailure) -> String? {
        var literal: String.UnicodeScalarView? = String.UnicodeScalarView()
        var rest = text
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*":
                tokens.append(.anyText)
                literal = nil
            case "?":
                tokens.append(.anyScalar)
                literal = nil
            case "[":
                tokens.append(try Self.parseClass(&rest))
                literal = nil
            case "\\":
                guard let next = rest.popFirst() else {
                    throw GlobFailure("invalid-glob", "a name in the pattern ends in a single \\")
                }
                tokens.append(.scalar(next))
                literal?.append(next)
            default:
                tokens.append(.scalar(scalar))
                literal?.append(scalar)
            }
        }
        return literal.map(String.init)
    }

    /// Reads what stands behind `[`, with the closing `]`.
    private static func parseClass(_ rest: inout Substring.UnicodeScalarView) throws(GlobFailure) -> Token {
        let whole = "[" + String(rest)
        func next() throws(GlobFailure) -> Unicode.Scalar {
            guard let scalar = rest.popFirst() else {
                throw GlobFailure(
                    "invalid-glob",
                    "the [ of '\(whole)' is never closed",
                    help: ["A [ that stands for itself is written \\[."]
                )
            }
            return scalar
        }
        func nextMember() throws(GlobFailure) -> Unicode.Scalar {
            let scalar = try next()
            return scalar == "\\" ? try next() : scalar
        }
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while rest.first != "]" || ranges.isEmpty {
            if rest.first == "[", rest.dropFirst().first == ":" {
                throw GlobFailure("invalid-glob", "named classes such as [:alpha:] are not known, as in '\(whole)'")
            }
            let lower = try nextMember()
            var upper = lower
            if rest.first == "-", let behind = rest.dropFirst().first, behind != "]" {
                rest.removeFirst()
                upper = try nextMember()
            }
            guard lower <= upper else {
                throw GlobFailure("invalid-glob", "the range \(lower)-\(upper) in '\(whole)' goes backwards")
            }
            ranges.append(lower...upper)
        }
        rest.removeFirst()
        return .oneOf(ranges, isNegated: isNegated)
    }
}

extension NamePattern.Token {
    fileprivate func matches(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .scalar(let wanted): wanted == scalar
        case .anyScalar: true
        case .anyText: false
        case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
        }
    }
}
