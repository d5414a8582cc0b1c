/// The members of a JSON object, in the order of the document, found by name.
///
/// Names are the same when their code points are. Finding one takes the same time in objects of any size.
package struct JSONObject: Sendable {
    private var members: [(name: String, value: JSON)] = []
    /// Present when there are at least `NameIndex.smallestUse` members.
    private var nameIndex: NameIndex?

    /// An object without members.
    package init() {}

    /// An object of members in order. Where a name comes again, the last value wins, at the place of the first.
    package init(_ members: some Sequence<(name: String, value: JSON)>) {
        self.members.reserveCapacity(members.underestimatedCount)
        for (name, value) in members { self[name] = value }
    }

    /// An object of members whose names are known to be distinct, with their index if there are enough for one.
    package init(distinct members: [(name: String, value: JSON)], index: NameIndex?) {
        self.members = members
        self.nameIndex = index
    }

    /// The value of a name. Setting a new name adds it at the end; setting `nil` takes the member away.
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

    /// Takes a member away and returns its value, if there is one; the others keep their order.
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

    /// Where the member of a name stands, from 0.
    package func index(of name: String) -> Int? {
        if let nameIndex {
            return nameIndex.position(hash: NameIndex.hash(name)) { members[$0].name.hasSameCodePoints(as: name) }
        }
        return members.firstIndex { $0.name.hasSameCodePoints(as: name) }
    }

    /// The same names with other values.
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
    /// The member at a position in the order of the text, not the member of a name.
    package subscript(position: Int) -> (name: String, value: JSON) { members[position] }
}

extension JSONObject: Hashable {
    /// Compares names and values regardless of their order.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count
            && left.members.indices.allSatisfy { position in
                let (name, value) = left.members[position]
                // Objects of one origin have their members in one order, where nothing needs to be looked up.
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
