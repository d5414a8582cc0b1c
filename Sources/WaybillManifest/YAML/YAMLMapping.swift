import WaybillData

/// The entries of a mapping, in the order of the document, found by name.
///
/// Entries that a merge key (`<<`) brought in stand where that was written; their nodes keep their own places.
package struct YAMLMapping: Sendable {
    /// A name and its value.
    package typealias Entry = (key: YAMLNode, value: YAMLNode)

    /// All entries. A name occurs once, unless the reader has reported it as a duplicate.
    package let entries: Entries

    /// Where each name stands in `entries`; only for mappings so large that looking through them would take long.
    private let index: [CodePoints: Int]?

    /// From this many entries on, an index is faster than looking through all.
    private static let indexThreshold = 12

    /// A mapping of keys and values that stand in turn. Of entries with the same name the first is found.
    init(keysAndValues nodes: consuming [YAMLNode]) {
        entries = Entries(nodes: nodes)
        index = entries.count < Self.indexThreshold ? nil : Self.index(of: entries)
    }

    /// The names in order; a key that is not a scalar has none.
    package var names: [String] { entries.compactMap { $0.key.text } }

    /// The value of a name.
    package subscript(name: String) -> YAMLNode? { entry(named: name)?.value }

    /// The entry of a name, for its key's place.
    package func entry(named name: String) -> Entry? {
        position(of: name).map { entries[$0] }
    }

    /// Where the first entry of a name stands in `entries`.
    func position(of name: String) -> Int? {
        if let index { return index[CodePoints(name)] }
        let name = CodePoints(name)
        return entries.firstIndex { $0.key.text.map(CodePoints.init) == name }
    }

    /// Whether a name occurs more than once.
    var hasDuplicates: Bool {
        let names = names
        if let index { return index.count < names.count }
        return names.indices.contains { position in
            names[..<position].contains { CodePoints($0) == CodePoints(names[position]) }
        }
    }

    private static func index(of entries: Entries) -> [CodePoints: Int] {
        var index: [CodePoints: Int] = [:]
        index.reserveCapacity(entries.count)
        for (position, entry) in entries.enumerated() {
            guard let name = entry.key.text, index[CodePoints(name)] == nil else { continue }
            index[CodePoints(name)] = position
        }
        return index
    }

    /// Keys and values in pairs.
    package struct Entries: RandomAccessCollection, Sendable {
        /// Keys and values in turn, as the reader meets them; so they need not be copied.
        fileprivate let nodes: [YAMLNode]

        /// No keys and values.
        static let empty = Entries(nodes: [])

        package var startIndex: Int { 0 }
        package var endIndex: Int { nodes.count / 2 }
        package subscript(position: Int) -> Entry { (nodes[2 * position], nodes[2 * position + 1]) }
    }
}
