import WaybillDiagnostics
import WaybillJSON

/// The entries of a mapping in document order, with lookup by name.
///
/// Entries from a merge key (`<<`) are at the position of that key; their nodes keep their own locations.
package struct YAMLMapping: Sendable {
    /// A name and its value.
    package typealias Entry = (key: YAMLNode, value: YAMLNode)

    let tree: YAMLTree
    let index: ValueTree.Index

    /// All entries. A name occurs once, unless the reader has reported it as a duplicate.
    package var entries: Entries { Entries(tree: tree, index: index) }

    /// The names in order; a key that is not a scalar has none.
    package var names: [String] { entries.compactMap { $0.key.text } }

    /// The value of a name; `nil` if the mapping does not have it.
    package subscript(name: String) -> YAMLNode? {
        tree.values.position(of: name, in: index).map {
            YAMLNode(tree: tree, index: tree.values.value(at: $0, of: index))
        }
    }

    /// Returns the entry of a name, for the span of the key.
    package func entry(named name: String) -> Entry? {
        tree.values.position(of: name, in: index).map { entries[$0] }
    }

    /// Keys and values in pairs.
    package struct Entries: RandomAccessCollection, Sendable {
        let tree: YAMLTree
        let index: ValueTree.Index

        /// An empty collection of entries.
        static let empty = {
            var values = ValueTree()
            let index = values.addObject([])
            let file = SourceFile(name: "", bytes: [])
            let tree = YAMLTree(file: file, values: values, marks: [.init(lower: 0, upper: 0)], properties: [:])
            return Entries(tree: tree, index: index)
        }()

        package var startIndex: Int { 0 }
        package var endIndex: Int { tree.values.memberCount(of: index) }
        package subscript(position: Int) -> Entry {
            (YAMLNode(tree: tree, index: tree.values.name(at: position, of: index)), value(at: position))
        }

        /// Returns the value at a position.
        func value(at position: Int) -> YAMLNode {
            YAMLNode(tree: tree, index: tree.values.value(at: position, of: index))
        }

        /// Returns the index in a table of names of the key at a position; `nil` if the table does not contain it.
        func key(at position: Int, in names: NameTable) -> Int? {
            let key = tree.values.name(at: position, of: index)
            return tree.values.isScalar(key) ? tree.values.index(ofText: key, in: names) : nil
        }
    }
}
