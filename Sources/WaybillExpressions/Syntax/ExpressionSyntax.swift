import WaybillJSON

/// A part of an expression as it was written.
struct ExpressionSyntax: Sendable {
    indirect enum Kind: Sendable {
        case literal(JSON)
        case query(QuerySyntax)
        case call(name: String, nameRange: Range<Int>, arguments: [ExpressionSyntax])
        /// `split(x, ',')[0].y`: a path that starts at a computed value.
        case access(ExpressionSyntax, [SegmentSyntax])
        case not(ExpressionSyntax)
        /// Two or more parts joined by the same operator, `&&` or `||`.
        case logical(LogicalOperator, [ExpressionSyntax])
        case comparison(ComparisonOperator, ExpressionSyntax, ExpressionSyntax)
        case arithmetic(ArithmeticOperator, ExpressionSyntax, ExpressionSyntax)
        case group(ExpressionSyntax)
    }

    var kind: Kind
    /// The location in the expression's text, in UTF-8 bytes.
    var range: Range<Int>
    /// The depth of nesting; at least 1.
    var depth: Int

    /// The expression without the parentheses around it.
    var ungrouped: ExpressionSyntax {
        var syntax = self
        while case .group(let inside) = syntax.kind { syntax = inside }
        return syntax
    }
}

/// `&&` and `||`.
enum LogicalOperator: String, Sendable {
    case and = "&&"
    case or = "||"
}

/// `==`, `!=`, `<`, `<=`, `>` and `>=` (RFC 9535, section 2.3.5.2.2).
enum ComparisonOperator: String, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
}

/// `+`, `-`, `*`, `/` and `%`.
enum ArithmeticOperator: String, Sendable {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case remainder = "%"

    /// Creates the operator of an ASCII character.
    init?(byte: UInt8) {
        switch byte {
        case UInt8(ascii: "+"): self = .plus
        case UInt8(ascii: "-"): self = .minus
        case UInt8(ascii: "*"): self = .times
        case UInt8(ascii: "/"): self = .divide
        case UInt8(ascii: "%"): self = .remainder
        default: return nil
        }
    }
}

/// A path as it was written: its root and its segments.
struct QuerySyntax: Sendable {
    enum Root: Sendable, Equatable {
        /// `$`
        case document
        /// `@`
        case current
        /// A bare name.
        case name(String)
    }

    var root: Root
    var rootRange: Range<Int>
    var segments: [SegmentSyntax]

    /// Whether the path can match at most one node (RFC 9535, section 2.3.5.1).
    var isSingular: Bool { segments.allSatisfy(\.isSingular) }

    var range: Range<Int> { rootRange.lowerBound..<(segments.last?.range.upperBound ?? rootRange.upperBound) }
}

/// A segment of a path (RFC 9535, section 2.5).
struct SegmentSyntax: Sendable {
    var selectors: [SelectorSyntax]
    /// Whether it was written with `..`.
    var isDescendant: Bool
    var range: Range<Int>

    var isSingular: Bool {
        guard !isDescendant, selectors.count == 1 else { return false }
        return switch selectors[0].kind {
        case .name, .index: true
        default: false
        }
    }
}

/// A selector of a segment as it was written.
struct SelectorSyntax: Sendable {
    var kind: Selector<ExpressionSyntax>
    var range: Range<Int>
}

/// A selector of a segment (RFC 9535, section 2.3).
enum Selector<Filter: Sendable>: Sendable {
    case name(String)
    case wildcard
    case index(Int)
    case slice(start: Int?, end: Int?, step: Int)
    case filter(Filter)
}
