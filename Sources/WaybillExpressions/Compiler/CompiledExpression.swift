import WaybillJSON
import WaybillSchema

/// A part of an expression, checked and ready for evaluation.
struct CompiledExpression: Sendable {
    indirect enum Kind: Sendable {
        case constant(JSON)
        case query(CompiledQuery)
        /// Whether a path matches anything (RFC 9535, section 2.3.5.2.1).
        case existence(CompiledQuery)
        case access(CompiledExpression, CompiledPath)
        case not(CompiledExpression)
        case logical(LogicalOperator, [CompiledExpression])
        case comparison(ComparisonOperator, CompiledExpression, CompiledExpression)
        case arithmetic(ArithmeticOperator, CompiledExpression, CompiledExpression)
        case call(ExpressionFunction, [CompiledExpression])
        case pattern(PatternFunction, CompiledExpression, CompiledPattern)
        /// `count()` of a path.
        case count(CompiledQuery)
        /// `value()` of a path.
        case onlyValue(CompiledQuery)
        /// `default()`
        case firstPresent([CompiledExpression])
        /// `if()`
        case conditional(CompiledExpression, then: CompiledExpression, otherwise: CompiledExpression)
        /// `exists()` of something other than a single path.
        case presence(CompiledExpression)
    }

    /// What happens when nothing is found.
    enum Context: Sendable {
        /// It is an error.
        case plain
        /// The enclosing `default()` or `exists()` handles it.
        case guarded
        /// It is Nothing (RFC 9535), as is the result of a function that cannot use its arguments.
        case filter
    }

    let kind: Kind
    let type: ExpressionType
    let context: Context
    let range: Range<Int>
}

/// `match()`, `search()`, `capture()` and `captures()`.
enum PatternFunction: String, Sendable {
    case match, search, capture, captures

    /// Whether the result is true or false.
    var isCondition: Bool { self == .match || self == .search }
}

/// The pattern of a pattern function.
enum CompiledPattern: Sendable {
    /// Known when the expression was compiled; `nil` if it is not an I-Regexp.
    case constant(RegularExpression?)
    case computed(CompiledExpression)
}

/// The segments of a path.
struct CompiledPath: Sendable {
    let segments: [CompiledSegment]
    let isSingular: Bool
    /// The path as it was written, for messages.
    let text: String
    /// The number of bytes of `text` up to the end of the root, and up to the end of each segment.
    let ends: [Int]

    /// Returns the text of the path up to a number of segments.
    func prefix(_ count: Int) -> String {
        String(decoding: text.utf8.prefix(ends[min(count, ends.count - 1)]), as: UTF8.self)
    }
}

/// A path with its root. It is a class, so that evaluating it copies only a reference.
final class CompiledQuery: Sendable {
    let root: QuerySyntax.Root
    let path: CompiledPath
    let range: Range<Int>

    init(root: QuerySyntax.Root, path: CompiledPath, range: Range<Int>) {
        self.root = root
        self.path = path
        self.range = range
    }
}

/// A segment of a path.
enum CompiledSegment: Sendable {
    case name(String)
    case index(Int)
    /// Selectors applied to the children of a node.
    case children([Selector<CompiledExpression>])
    /// Selectors applied to a node and all its descendants.
    case descendants([Selector<CompiledExpression>])
}

extension CompiledExpression {
    /// See `Expression.keepsElements`.
    var keepsElements: Bool {
        switch kind {
        case .constant: true
        case .query(let query): query.path.keepsElements
        case .firstPresent(let expressions): expressions.allSatisfy(\.keepsElements)
        // `if(exists($.items), $.items, list())`
        case .conditional(let test, let then, let otherwise):
            test.isPresence && then.keepsElements && otherwise.keepsElements
        case .call(let function, let arguments): function.name == "list" && arguments.isEmpty
        default: false
        }
    }
}

extension CompiledExpression {
    private var isPresence: Bool {
        switch kind {
        case .existence, .presence: true
        default: false
        }
    }
}

extension CompiledPath {
    /// Whether the nodes that it selects are all elements of one list: only `[*]` or `[:]` at its end selects several.
    /// After another segment, a filter or another slice, some may be left out.
    fileprivate var keepsElements: Bool {
        segments.indices.allSatisfy { index in
            switch segments[index] {
            case .name, .index: true
            case .children(let selectors):
                switch selectors[0] {
                case .wildcard, .slice(nil, nil, 1): selectors.count == 1 && index == segments.count - 1
                default: false
                }
            case .descendants: false
            }
        }
    }
}
