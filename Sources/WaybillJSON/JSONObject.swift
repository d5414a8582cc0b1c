import OrderedCollections

/// The members of a JSON object, in the order of the document, accessible by name.
///
/// Names are compared by code points. A lookup takes constant time in objects of any size.
package struct JSONObject: Sendable {
    private var members: OrderedDictionary<CodePoints, JSON> = [:]

    /// Creates an object without members.
    package init() {}

    /// Creates an object without members that has space for some.
    init(minimumCapacity: Int) {
        members.reserveCapacity(minimumCapacity)
    }

    /// Creates an object from members in order. If a name is repeated, the last value replaces the first, in its
    /// position.
    package init(_ members: some Sequence<(name: String, value: JSON)>) {
        self.members.reserveCapacity(members.underestimatedCount)
        for (name, value) in members { self[name] = value }
    }

    /// The value of a name. Setting a new name appends a member; setting `nil` removes the member.
    package subscript(name: String) -> JSON? {
        get { members[CodePoints(name)] }
        set { members[CodePoints(name)] = newValue }
    }

    /// Sets the value of a name, and returns the value that it had. A new name is appended.
    mutating func updateValue(_ value: JSON, forName name: String) -> JSON? {
        members.updateValue(value, forKey: CodePoints(name))
    }

    /// Removes a member and returns its value, if it exists. The others keep their order.
    @discardableResult
    package mutating func removeValue(named name: String) -> JSON? {
        members.removeValue(forKey: CodePoints(name))
    }

    /// The names, in order.
    package var names: [String] { members.keys.map(\.text) }

    /// The values, in the order of their names.
    package var values: [JSON] { Array(members.values) }

    /// Returns the position of the member with a name, from 0.
    package func index(of name: String) -> Int? { members.index(forKey: CodePoints(name)) }

    /// Returns an object with the same names and other values.
    package func mapValues<Failure: Error>(_ transform: (JSON) throws(Failure) -> JSON) throws(Failure) -> JSONObject {
        var result = self
        for index in members.values.indices { result.members.values[index] = try transform(members.values[index]) }
        return result
    }
}

extension JSONObject: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { members.count }
    /// The member at a position in the order of the text, not the member with a name.
    package subscript(position: Int) -> (name: String, value: JSON) {
        (members.keys[position].text, members.values[position])
    }
}

extension JSONObject: Hashable {
    /// Compares names and values regardless of their order.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count
            && left.indices.allSatisfy { position in
                let (name, value) = left[position]
                // Objects from the same source have their members in the same order, so that no lookup is needed.
                let hasSameName = right[position].name.hasSameCodePoints(as: name)
                return value == (hasSameName ? right[position].value : right[name])
            }
    }

    /// Hashes names and values regardless of their order.
    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for (name, value) in members {
            var inner = Hasher()
            inner.combine(name)
            inner.combine(value)
            sum &+= inner.finalize()
        }
        hasher.combine(sum)
    }
}
