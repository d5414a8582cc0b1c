import WaybillJSON

/// A path that must be true, or must match something, for a condition to hold.
///
/// `steps.a.ok && exists(steps.a.data)` requires both. Paths inside `not(…)` or `!`, or on one side of `||`, are not
/// required.
package struct PathRequirement: Sendable, Equatable {
    /// What must be the case for a path.
    package enum Kind: Sendable, Equatable {
        /// The value of the path is true.
        case isTrue
        /// The path matches a value. It is the argument of `exists`, up to the first segment that selects several
        /// nodes.
        case exists
    }

    /// What must be the case.
    package let kind: Kind
    /// The name that the path starts with.
    package let name: String
    /// The segments of the path.
    package let keys: [Reference.Segment.Key]

    private init(_ kind: Kind, _ query: QuerySyntax) {
        self.kind = kind
        name =
            switch query.root {
            case .name(let name): name
            case .document: "$"
            case .current: "@"
            }
        keys = Reference.certain(query.segments[...]).map(\.key)
    }

    /// Returns what a condition outside a filter requires.
    static func of(_ condition: ExpressionSyntax) -> [PathRequirement] {
        switch condition.kind {
        case .group(let inside): return of(inside)
        case .logical(.and, let parts): return parts.flatMap(of)
        case .query(let query) where query.isSingular: return [PathRequirement(.isTrue, query)]
        case .comparison(.equal, let left, let right):
            let sides = [left.ungrouped.kind, right.ungrouped.kind]
            guard sides.contains(where: { if case .literal(.bool(true)) = $0 { true } else { false } }) else {
                return []
            }
            return sides.compactMap {
                if case .query(let query) = $0, query.isSingular { PathRequirement(.isTrue, query) } else { nil }
            }
        case .call("exists", _, let arguments):
            guard case .query(let query)? = arguments.first?.ungrouped.kind else { return [] }
            return [PathRequirement(.exists, query)]
        case .literal, .query, .call, .access, .not, .logical, .comparison, .arithmetic: return []
        }
    }
}
