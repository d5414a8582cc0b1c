/// JSON values in a flat layout: a reader of a document builds them without an allocation for each value.
///
/// A value is identified by its index. It may be an element or a member at several positions. Scalars keep their text
/// as it was written. A reader adds the parts of an array or an object before the whole.
package struct ValueTree: Sendable {
    /// Identifies a value of a tree.
    package typealias Index = UInt32

    /// A value. The children of arrays and objects are in `children`, the texts of scalars in `texts`.
    struct Node: Sendable {
        let kind: JSON.Kind
        let start: UInt32
        /// The number of bytes of the text, of elements, or of names and values together.
        let count: UInt32

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    /// The values, by index.
    private(set) var nodes: [Node] = []
    /// Elements, or alternating names and values.
    private(set) var children: [Index] = []
    /// The concatenated texts of the scalars.
    private(set) var texts: [UInt8] = []
    /// The numbers whose text does not follow the grammar of JSON, such as `0x1F` in YAML.
    private(set) var unusualNumbers: [Index: JSONNumber] = [:]
    /// The positions of the names of each object with many members, in which a linear search would be slow.
    private(set) var namePositions: [Index: [CodePoints: Int]] = [:]
    /// The number of members from which an object has its `namePositions`.
    static let manyMembers = 17

    /// Creates a tree without values.
    package init() {}

    /// Reserves space for the values of a document of some size. It is enough for nearly all documents, because moving
    /// the values takes time and unused space takes no memory.
    package mutating func reserve(forBytes bytes: Int) {
        nodes.reserveCapacity(Self.likelyValues(inBytes: bytes))
        children.reserveCapacity(Self.likelyValues(inBytes: bytes))
        texts.reserveCapacity(bytes)
    }

    /// Returns a number of values that a document of some size rarely exceeds.
    package static func likelyValues(inBytes bytes: Int) -> Int { bytes / 6 }

    /// The number of values.
    package var valueCount: Int { nodes.count }

    // MARK: Building

    /// Adds a scalar. The text of a boolean starts with `t` or `T` if it is true.
    ///
    /// - Parameter number: The value of a number whose text does not follow the grammar of JSON.
    package mutating func addScalar(_ kind: JSON.Kind, text: [UInt8], number: JSONNumber? = nil) -> Index {
        let start = texts.count
        texts.append(contentsOf: text)
        let index = add(Node(kind: kind, start: UInt32(start), count: UInt32(text.count)))
        if let number { unusualNumbers[index] = number }
        return index
    }

    /// Adds an array of values that have been added already.
    package mutating func addArray(_ elements: ArraySlice<Index>) -> Index {
        addCollection(.array, elements)
    }

    /// Adds an object from alternating names and values that have been added already.
    ///
    /// If a name is repeated, the first member is found. A name that is not a scalar is never found.
    package mutating func addObject(_ namesAndValues: ArraySlice<Index>) -> Index {
        let object = addCollection(.object, namesAndValues)
        if memberCount(of: object) >= Self.manyMembers {
            let names = (0..<memberCount(of: object)).map { (name(at: $0, of: object), $0) }
            let scalars = names.filter { isScalar($0.0) }.map { (CodePoints(text(of: $0.0)), $0.1) }
            namePositions[object] = Dictionary(scalars) { first, _ in first }
        }
        return object
    }

    private mutating func addCollection(_ kind: JSON.Kind, _ parts: ArraySlice<Index>) -> Index {
        let start = children.count
        children.append(contentsOf: parts)
        return add(Node(kind: kind, start: UInt32(start), count: UInt32(parts.count)))
    }

    private mutating func add(_ node: Node) -> Index {
        nodes.append(node)
        return Index(nodes.count - 1)
    }
}
