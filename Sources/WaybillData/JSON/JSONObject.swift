/// The members of a JSON object, in the order of the document, found by name.
package struct JSONObject: Sendable {
    private var members: [(name: String, value: JSON)] = []

    /// An object without members.
    package init() {}

    /// The value of a name. Setting a new name adds it at the end; setting `nil` takes the member away.
    package subscript(name: String) -> JSON? {
        get {
            index(of: name).map { members[$0].value }
        }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The names, in order.
    package var names: [String] { members.map(\.name) }

    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.hasSameCodePoints(as: name) }
    }
}

extension JSONObject: RandomAccessCollection {
    package var startIndex: Int { members.startIndex }
    package var endIndex: Int { members.endIndex }
    package subscript(position: Int) -> (name: String, value: JSON) { members[position] }
}

extension JSONObject: Hashable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for (name, value) in members {
            var inner = Hasher()
            name.hashCodePoints(into: &inner)
            inner.combine(value)
            sum ^= inner.finalize()
        }
        hasher.combine(sum)
    }
}
