import WaybillJSON

/// A path of an expression that begins at `$` or at a bare name, as the checks of a plan need it.
package final class Reference: Sendable {
    /// A step of the path.
    package struct Segment: Sendable, Equatable {
        /// What the step selects.
        package enum Key: Sendable, Equatable {
            /// A member.
            case name(String)
            /// An element; from the end where negative.
            case index(Int)
        }

        /// What the step selects.
        package var key: Key
        /// Where it stands, in UTF-8 bytes of the text.
        package var range: Range<Int>

        /// The name, if it selects a member.
        package var name: String? {
            if case .name(let name) = key { name } else { nil }
        }

        func moved(by offset: Int) -> Segment { Segment(key: key, range: range.moved(by: offset)) }
    }

    /// The names that the language gives, which most paths begin at; `document` is `$`.
    package enum Root: CaseIterable, Sendable {
        case inputs, manifest, secrets, data, vars, session, steps, run, state, request, response, document, item

        private static let table = NameTable(allCases.map(\.name))

        /// The name as it is written.
        package var name: String { self == .document ? "$" : String(describing: self) }

        fileprivate init?(_ name: String) {
            guard let index = Self.table.index(of: name) else { return nil }
            self = Self.allCases[index]
        }
    }

    /// `$`, `item` or another bare name.
    package let name: String
    /// Which of the names that the language gives it is; `nil` for any other, such as that of an element of `forEach`.
    package let root: Root?
    /// Where the name stands, in UTF-8 bytes of the text.
    package let nameRange: Range<Int>
    /// The steps behind the name, up to the first that does not select one certain node.
    package let segments: [Segment]
    /// Whether `segments` are the whole path.
    package let isComplete: Bool
    /// Where a wildcard, slice, filter or list of selectors follows `segments`: the steps behind it, up to the next that
    /// does not select one certain node. They begin at each child that it selects.
    package let childSegments: [Segment]?
    /// Whether more steps follow than `segments` and `childSegments` tell.
    package let goesOn: Bool
    /// Whether it stands inside `exists(…)` or is replaced by `default(…)`.
    package let isGuarded: Bool
    /// Whether its value cannot be learned from that of the expression, as behind a digest or in a comparison.
    package let isConcealed: Bool
    /// What holds where the path is evaluated, because the operands of `&&` before it require it.
    package let assumptions: [PathRequirement]
    /// Where the whole path stands, in UTF-8 bytes of the text.
    package let range: Range<Int>

    /// A reference; see the properties.
    private init(
        name: String,
        root: Root?,
        nameRange: Range<Int>,
        segments: [Segment],
        isComplete: Bool,
        childSegments: [Segment]?,
        goesOn: Bool,
        isGuarded: Bool,
        isConcealed: Bool,
        assumptions: [PathRequirement],
        range: Range<Int>
    ) {
        self.name = name
        self.root = root
        self.nameRange = nameRange
        self.segments = segments
        self.isComplete = isComplete
        self.childSegments = childSegments
        self.goesOn = goesOn
        self.isGuarded = isGuarded
        self.isConcealed = isConcealed
        self.assumptions = assumptions
        self.range = range
    }

    /// A path of members and elements alone.
    convenience init(name: String, nameRange: Range<Int>, segments: [Segment], range: Range<Int>) {
        self.init(
            name: name,
            root: Root(name),
            nameRange: nameRange,
            segments: segments,
            isComplete: true,
            childSegments: nil,
            goesOn: false,
            isGuarded: false,
            isConcealed: false,
            assumptions: [],
            range: range
        )
    }

    convenience init(
        _ query: QuerySyntax,
        name: String,
        isGuarded: Bool,
        isConcealed: Bool,
        assumptions: [PathRequirement]
    ) {
        let segments = Self.certain(query.segments[...])
        let others = query.segments.dropFirst(segments.count)
        let childSegments = others.first?.isDescendant == false ? Self.certain(others.dropFirst()) : nil
        self.init(
            name: name,
            root: Root(name),
            nameRange: query.rootRange,
            segments: segments,
            isComplete: query.isSingular,
            childSegments: childSegments,
            goesOn: others.count > (childSegments.map { $0.count + 1 } ?? 0),
            isGuarded: isGuarded,
            isConcealed: isConcealed,
            assumptions: assumptions,
            range: query.range
        )
    }

    /// The steps up to the first that does not select one certain node.
    static func certain(_ segments: ArraySlice<SegmentSyntax>) -> [Segment] {
        segments.prefix(while: \.isSingular).compactMap { segment in
            switch segment.selectors[0].kind {
            case .name(let name): Segment(key: .name(name), range: segment.selectors[0].range)
            case .index(let index): Segment(key: .index(index), range: segment.selectors[0].range)
            default: nil
            }
        }
    }

    /// The same reference in a text that holds this one from a byte offset on.
    package func moved(by offset: Int) -> Reference {
        Reference(
            name: name,
            root: root,
            nameRange: nameRange.moved(by: offset),
            segments: segments.map { $0.moved(by: offset) },
            isComplete: isComplete,
            childSegments: childSegments?.map { $0.moved(by: offset) },
            goesOn: goesOn,
            isGuarded: isGuarded,
            isConcealed: isConcealed,
            assumptions: assumptions,
            range: range.moved(by: offset)
        )
    }
}

extension Reference: Equatable {
    /// Compares all that the analysis found out about the references, and where they are in the text.
    package static func == (left: Reference, right: Reference) -> Bool {
        left.range == right.range && left.nameRange == right.nameRange && left.name == right.name
            && left.segments == right.segments && left.childSegments == right.childSegments
            && left.isComplete == right.isComplete && left.goesOn == right.goesOn
            && left.isGuarded == right.isGuarded && left.isConcealed == right.isConcealed
            && left.assumptions == right.assumptions
    }
}
