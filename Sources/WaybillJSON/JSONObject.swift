/// The members of a JSON object, in the order of the document, accessible by name.
///
/// Names are compared by code points. A lookup takes constant time in objects of any size.
package struct JSONObject: Sendable {
    private var members: [(name: String, value: JSON)] = []
    /// Exists if there are at least `NameIndex.smallestUse` members.
    private var nameIndex: NameIndex?

    /// Creates an object without members.
    package init() {}

    /// Creates an object from members in order. If a name is repeated, the last value replaces the first, in its
    /// position.
    package init(_ members: some Sequence<(name: String, value: JSON)>) {
        self.members.reserveCapacity(members.underestimatedCount)
        for (name, value) in members { self[name] = value }
    }

    /// Creates an object from members with distinct names, and their index if there are enough members for one.
    package init(distinct members: [(name: String, value: JSON)], index: NameIndex?) {
        self.members = members
        self.nameIndex = index
    }

    /// The value of a name. Setting a new name appends a member; setting `nil` removes the member.
    package subscript(name: String) -> JSON? {
        get {
            index(of: name).map { members[$0].value }
        }
        set {
            guard let newValue else {
                removeValue(named: name)
                return
            }
            if let index = index(of: name) {
                members[index].value = newValue
            } else {
                append(name, newValue)
            }
        }
    }

    /// Removes a member and returns its value, if it exists. The others keep their order.
    @discardableResult
    package mutating func removeValue(named name: String) -> JSON? {
        guard let index = index(of: name) else { return nil }
        let value = members.remove(at: index).value
        rebuildIndex()
        return value
    }

    /// The names, in order.
    package var names: [String] { members.map(\.name) }

    /// The values, in the order of their names.
    package var values: [JSON] { members.map(\.value) }

    /// Returns the position of the member with a name, from 0.
    package func index(of name: String) -> Int? {
        if let nameIndex {
            return nameIndex.position(hash: NameIndex.hash(name)) { members[$0].name.hasSameCodePoints(as: name) }
        }
        return members.firstIndex { $0.name.hasSameCodePoints(as: name) }
    }

    /// Returns an object with the same names and other values.
    package func mapValues<Failure: Error>(_ transform: (JSON) throws(Failure) -> JSON) throws(Failure) -> JSONObject {
        var result = self
        for index in members.indices { result.members[index].value = try transform(members[index].value) }
        return result
    }

    private mutating func append(_ name: String, _ value: JSON) {
        members.append((name, value))
        if nameIndex != nil {
            nameIndex?.insert(members.count - 1, hash: NameIndex.hash(name))
        } else {
            rebuildIndex()
        }
    }

    private mutating func rebuildIndex() {
        nameIndex = members.count < NameIndex.smallestUse ? nil : NameIndex(of: members.lazy.map(\.name))
    }
}

extension JSONObject: RandomAccessCollection {
    package var startIndex: Int { members.startIndex }
    package var endIndex: Int { members.endIndex }
    /// The member at a position in the order of the text, not the member with a name.
    package subscript(position: Int) -> (name: String, value: JSON) { members[position] }
}

extension JSONObject: Hashable {
    /// Compares names and values regardless of their order.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count
            && left.members.indices.allSatisfy { position in
                let (name, value) = left.members[position]
                // Objects from the same source have their members in the same order, so that no lookup is needed.
                if right.members[position].name.hasSameCodePoints(as: name) {
                    return right.members[position].value == value
                }
                return right[name] == value
            }
    }

    /// Hashes names and values regardless of their order.
    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for (name, value) in members {
            var inner = Hasher()
            name.hashCodePoints(into: &inner)
            inner.combine(value)
            sum &+= inner.finalize()
        }
        hasher.combine(sum)
    }
}
