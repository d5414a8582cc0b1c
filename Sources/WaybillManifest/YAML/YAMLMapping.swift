import WaybillDiagnostics
import WaybillJSON

/// The entries of a mapping, in the order of the document, found by name.
///
/// Entries that a merge key (`<<`) brought in stand where that was written; their nodes keep their own places.
package struct YAMLMapping: Sendable {
    /// A name and its value.
    package typealias Entry = (key: YAMLNode, value: YAMLNode)

    let tree: YAMLTree
    let index: ValueTree.Index

    /// All entries. A name occurs once, unless the reader has reported it as a duplicate.
    package var entries: Entries { Entries(tree: tree, index: index) }

    /// The names in order; a key that is not a scalar has none.
    package var names: [String] { entries.compactMap { $0.key.text } }

    /// The value of a name.
    package subscript(name: String) -> YAMLNode? {
        tree.values.position(of: name, in: index).map {
            YAMLNode(tree: tree, index: tree.values.value(at: $0, of: index))
        }
    }

    /// The entry of a name, for its key's place.
    package func entry(named name: String) -> Entry? {
        tree.values.position(of: name, in: index).map { entries[$0] }
    }

    /// Keys and values in pairs.
    package struct Entries: RandomAccessCollection, Sendable {
        let tree: YAMLTree
        let index: ValueTree.Index

        /// No keys and values.
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

        /// The value at a position.
        func value(at position: Int) -> YAMLNode {
            YAMLNode(tree: tree, index: tree.values.value(at: position, of: index))
        }

        /// Which of a set of names the key at a position is.
        func key(at position: Int, in names: NameTable) -> Int? {
            let key = tree.values.name(at: position, of: index)
            return tree.values.isScalar(key) ? tree.values.index(ofText: key, in: names) : nil
        }
    }
}
