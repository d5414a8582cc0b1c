import WaybillJSON

/// A path in an expression that starts at `$` or at a bare name, for the checks of a plan.
package final class Reference: Sendable {
    /// A segment of the path.
    package struct Segment: Sendable, Equatable {
        /// What a segment selects.
        package enum Key: Sendable, Equatable {
            /// A member.
            case name(String)
            /// An element, counted from the end if negative.
            case index(Int)
        }

        /// What the segment selects.
        package var key: Key
        /// The location in the text, in UTF-8 bytes.
        package var range: Range<Int>

        /// The name, if the segment selects a member.
        package var name: String? {
            if case .name(let name) = key { name } else { nil }
        }
    }

    /// A call that joins the values of its arguments.
    package struct Join: Sendable {
        let call: Range<Int>
        /// The argument that contains the path.
        let argument: Range<Int>

        /// Whether another argument contains a path.
        package func isWith(_ other: Reference) -> Bool {
            call.contains(other.range.lowerBound) && !argument.contains(other.range.lowerBound)
        }
    }

    /// The names that the language defines, at which most paths start; `document` is `$`.
    package enum Root: CaseIterable, Sendable {
        case inputs, manifest, secrets, data, vars, session, steps, run, state, request, response, document, item

        private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

        /// The name as it is written.
        package var name: String { self == .document ? "$" : String(describing: self) }

        fileprivate init?(_ name: String) {
            guard let root = Self.byName[name] else { return nil }
            self = root
        }
    }

    /// `$`, `item` or another bare name.
    package let name: String
    /// The name as a root that the language defines; `nil` for any other name, such as that of an element of `forEach`.
    package let root: Root?
    /// The location of the name, in UTF-8 bytes of the text.
    package let nameRange: Range<Int>
    /// The segments after the name, up to the first that does not select exactly one known node.
    package let segments: [Segment]
    /// Whether `segments` is the whole path.
    package let isComplete: Bool
    /// If a wildcard, slice, filter or list of selectors follows `segments`: the segments after it, up to the next that
    /// does not select exactly one known node. They start at each child that it selects.
    package let childSegments: [Segment]?
    /// Whether the children are selected by a filter.
    package let filtersChildren: Bool
    /// Whether the path has more segments than `segments` and `childSegments` contain.
    package let goesOn: Bool
    /// Whether the path is inside `exists(…)`, or `default(…)` replaces a missing value.
    package let isGuarded: Bool
    /// Whether the value of the expression does not reveal that of the path, as after a digest or in a comparison.
    package let isConcealed: Bool
    /// The calls of `concat()` around the path, whose values contain the values of their other arguments, too.
    package let joins: [Join]
    /// The requirements that hold where the path is evaluated, because the operands of `&&` before it require them.
    package let assumptions: [PathRequirement]
    /// The location of the whole path, in UTF-8 bytes of the text.
    package let range: Range<Int>

    init(
        _ query: QuerySyntax,
        name: String,
        isGuarded: Bool,
        isConcealed: Bool,
        joins: [Join],
        assumptions: [PathRequirement]
    ) {
        let segments = Self.certain(query.segments[...])
        let others = query.segments.dropFirst(segments.count)
        let childSegments = others.first?.isDescendant == false ? Self.certain(others.dropFirst()) : nil
        self.name = name
        root = Root(name)
        nameRange = query.rootRange
        self.segments = segments
        isComplete = query.isSingular
        self.childSegments = childSegments
        filtersChildren =
            others.first?.selectors.contains { if case .filter = $0.kind { true } else { false } } ?? false
        goesOn = others.count > (childSegments.map { $0.count + 1 } ?? 0)
        self.isGuarded = isGuarded
        self.isConcealed = isConcealed
        self.joins = joins
        self.assumptions = assumptions
        range = query.range
    }

    /// Returns the segments up to the first that does not select exactly one known node.
    static func certain(_ segments: ArraySlice<SegmentSyntax>) -> [Segment] {
        segments.prefix(while: \.isSingular).compactMap { segment in
            switch segment.selectors[0].kind {
            case .name(let name): Segment(key: .name(name), range: segment.selectors[0].range)
            case .index(let index): Segment(key: .index(index), range: segment.selectors[0].range)
            default: nil
            }
        }
    }
}
