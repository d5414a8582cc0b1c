import WaybillData

/// The entries of a mapping, in the order of the document, found by name.
///
/// Entries that a merge key (`<<`) brought in stand where that was written; their nodes keep their own places.
package struct YAMLMapping: Sendable {
    /// A name and its value.
    package typealias Entry = (key: YAMLNode, value: YAMLNode)

    /// All entries. A name occurs once, unless the reader has reported it as a duplicate.
    package let entries: [Entry]

    /// Where each name stands in `entries`; only for mappings so large that looking through them would take long.
    private let index: [CodePoints: Int]?

    /// From this many entries on, an index is faster than looking through all.
    private static let indexThreshold = 12

    /// A mapping of these entries. Of entries with the same name the first is found.
    init(_ entries: [Entry]) {
        self.entries = entries
        guard entries.count >= Self.indexThreshold else {
            index = nil
            return
        }
        var index: [CodePoints: Int] = [:]
        index.reserveCapacity(entries.count)
        for (position, entry) in entries.enumerated() {
            guard let name = entry.key.scalar?.text, index[CodePoints(name)] == nil else { continue }
            index[CodePoints(name)] = position
        }
        self.index = index
    }

    /// The names in order; a key that is not a scalar has none.
    package var names: [String] { entries.compactMap { $0.key.scalar?.text } }

    /// The value of a name.
    package subscript(name: String) -> YAMLNode? { entry(named: name)?.value }

    /// The entry of a name, for its key's place.
    package func entry(named name: String) -> Entry? {
        position(of: name).map { entries[$0] }
    }

    /// Where the first entry of a name stands in `entries`.
    func position(of name: String) -> Int? {
        if let index { return index[CodePoints(name)] }
        return entries.firstIndex { entry in
            guard case .scalar(let key) = entry.key.content else { return false }
            return CodePoints(key.text) == CodePoints(name)
        }
    }

    /// Whether a name occurs more than once.
    func hasDuplicates(among names: [String]) -> Bool {
        if let index { return index.count < names.count }
        return names.indices.contains { position in
            names[..<position].contains { CodePoints($0) == CodePoints(names[position]) }
        }
    }
}

/// A string compared by code points, as names in JSON are; `String` itself also takes canonical equivalents as equal.
struct CodePoints: Hashable {
    private let text: String

    /// A string to be compared by its code points.
    init(_ text: String) {
        self.text = text
    }

    static func == (left: CodePoints, right: CodePoints) -> Bool {
        // The first comparison is the fast one and fails nearly always; equal code points never fail it.
        left.text == right.text && left.text.hasSameCodePoints(as: right.text)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
