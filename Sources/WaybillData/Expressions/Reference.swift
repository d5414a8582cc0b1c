/// A path of an expression that begins at `$` or at a bare name, as the checks of a plan need it.
package struct Reference: Sendable, Equatable {
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

    /// `$`, `item` or another bare name.
    package var name: String
    /// Where the name stands, in UTF-8 bytes of the text.
    package var nameRange: Range<Int>
    /// The steps behind the name, up to the first that does not select one certain node.
    package var segments: [Segment]
    /// Whether `segments` are the whole path.
    package var isComplete: Bool
    /// Where a wildcard, slice, filter or list of selectors follows `segments`: the steps behind it, up to the next that
    /// does not select one certain node. They begin at each child that it selects.
    package var childSegments: [Segment]?
    /// Whether more steps follow than `segments` and `childSegments` tell.
    package var goesOn: Bool
    /// Whether it stands inside `exists(…)` or is replaced by `default(…)`.
    package var isGuarded: Bool
    /// Whether its value cannot be learned from that of the expression, as behind a digest or in a comparison.
    package var isConcealed: Bool
    /// Where the whole path stands, in UTF-8 bytes of the text.
    package var range: Range<Int>

    /// A reference to one certain node.
    init(name: String, nameRange: Range<Int>, segments: [Segment], range: Range<Int>) {
        self.name = name
        self.nameRange = nameRange
        self.segments = segments
        self.isComplete = true
        self.goesOn = false
        self.isGuarded = false
        self.isConcealed = false
        self.range = range
    }

    init(_ query: QuerySyntax, name: String, isGuarded: Bool, isConcealed: Bool) {
        self.name = name
        self.nameRange = query.rootRange
        self.segments = Self.certain(query.segments[...])
        self.isComplete = query.isSingular
        let others = query.segments.dropFirst(segments.count)
        self.childSegments = others.first?.isDescendant == false ? Self.certain(others.dropFirst()) : nil
        self.goesOn = others.count > (childSegments.map { $0.count + 1 } ?? 0)
        self.isGuarded = isGuarded
        self.isConcealed = isConcealed
        self.range = query.range
    }

    /// The steps up to the first that does not select one certain node.
    private static func certain(_ segments: ArraySlice<SegmentSyntax>) -> [Segment] {
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
        var moved = self
        moved.nameRange = nameRange.moved(by: offset)
        moved.range = range.moved(by: offset)
        moved.segments = segments.map { $0.moved(by: offset) }
        moved.childSegments = childSegments?.map { $0.moved(by: offset) }
        return moved
    }
}
