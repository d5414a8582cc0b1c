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
            let (key, value) = (tree.values.name(at: position, of: index), tree.values.value(at: position, of: index))
            return (YAMLNode(tree: tree, index: key), YAMLNode(tree: tree, index: value))
        }
    }
}
