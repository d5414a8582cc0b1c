/// Values as JSON has them, laid out flat: what a reader of a document builds without an allocation for each value.
///
/// A value is named by its index. It may be an element or a member in several places. Scalars keep the text that they
/// were written as; of an array or an object a reader adds the parts before the whole.
package struct ValueTree: Sendable {
    /// Names a value of a tree.
    package typealias Index = UInt32

    /// A value. Arrays and objects have their children in `children`, scalars their text in `texts`.
    struct Node: Sendable {
        let kind: JSON.Kind
        /// Of a scalar: the hash of its text, for the tables of a schema (`NameTable`).
        let hash: UInt32
        let start: UInt32
        /// The bytes of the text, the elements, or the names and values together.
        let count: UInt32

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    /// The values, by index.
    private(set) var nodes: [Node] = []
    /// Elements, or names and values in turn.
    private(set) var children: [Index] = []
    /// The texts of the scalars, one behind the other.
    private(set) var texts: [UInt8] = []
    /// The numbers whose text does not say them by the grammar of JSON, such as `0x1F` in YAML.
    private(set) var unusualNumbers: [Index: JSONNumber] = [:]
    /// The names of large objects.
    private(set) var nameIndices: [Index: NameIndex] = [:]

    /// A tree without values.
    package init() {}

    /// Makes room for the values of a document of so many bytes: for more than nearly all have, since moving them costs
    /// time, and room that stays empty no memory.
    package mutating func reserve(forBytes bytes: Int) {
        nodes.reserveCapacity(Self.likelyValues(inBytes: bytes))
        children.reserveCapacity(Self.likelyValues(inBytes: bytes))
        texts.reserveCapacity(bytes)
    }

    /// How many values a document of so many bytes hardly ever exceeds.
    package static func likelyValues(inBytes bytes: Int) -> Int { bytes / 6 }

    /// How many values there are.
    package var valueCount: Int { nodes.count }

    // MARK: Building

    /// Adds a scalar. The text of a boolean begins with `t` or `T` if it is true.
    ///
    /// - Parameter number: The number that is meant, where the text does not say it by the grammar of JSON.
    package mutating func addScalar(
        _ kind: JSON.Kind,
        text: UnsafeBufferPointer<UInt8>,
        number: JSONNumber? = nil
    ) -> Index {
        let start = texts.count
        texts.append(contentsOf: text)
        let index = add(Node(kind: kind, hash: NameTable.hash(text), start: UInt32(start), count: UInt32(text.count)))
        if let number { unusualNumbers[index] = number }
        return index
    }

    /// Adds an array of values that are there already.
    package mutating func addArray(_ elements: ArraySlice<Index>) -> Index {
        addCollection(.array, elements)
    }

    /// Adds an object of names and values in turn, all there already.
    ///
    /// Of members with the same name the first is found. A name that is not a scalar is never found.
    package mutating func addObject(_ namesAndValues: ArraySlice<Index>) -> Index {
        let index = addCollection(.object, namesAndValues)
        if namesAndValues.count / 2 >= NameIndex.smallestUse { nameIndices[index] = nameIndex(of: index) }
        return index
    }

    private mutating func addCollection(_ kind: JSON.Kind, _ parts: ArraySlice<Index>) -> Index {
        let start = children.count
        children.append(contentsOf: parts)
        return add(Node(kind: kind, hash: 0, start: UInt32(start), count: UInt32(parts.count)))
    }

    private mutating func add(_ node: Node) -> Index {
        nodes.append(node)
        return Index(nodes.count - 1)
    }

    private func nameIndex(of object: Index) -> NameIndex {
        let count = memberCount(of: object)
        var nameIndex = NameIndex(minimumCapacity: count)
        for position in 0..<count {
            let name = name(at: position, of: object)
            guard isScalar(name) else { continue }
            let hash = withText(of: name) { NameIndex.hash($0) }
            let isKnown = nameIndex.position(hash: hash) { hasSameText(name, self.name(at: $0, of: object)) } != nil
            if !isKnown { nameIndex.insert(position, hash: hash) }
        }
        return nameIndex
    }
}
