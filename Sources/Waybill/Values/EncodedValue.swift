import WaybillJSON

/// A JSON value that containers are writing to: several of them may belong to one value.
final class EncodedValue {
    /// The value, if it is neither a list nor an object.
    var scalar: JSON?
    /// The elements, if it is a list.
    var elements: [EncodedValue]?
    /// The members, if it is an object. If a name is repeated, the last value wins.
    private var members: [(name: String, value: EncodedValue)] = []

    /// The value, after everything was written. A type that encodes nothing is an object without members.
    var json: JSON {
        if let scalar { return scalar }
        if let elements { return .array(elements.map(\.json)) }
        return .object(JSONObject(members.map { ($0.name, $0.value.json) }))
    }

    /// Appends an element, and returns it.
    func addElement() -> EncodedValue {
        let element = EncodedValue()
        elements?.append(element)
        return element
    }

    /// Appends a member, and returns its value.
    func addMember(_ name: String) -> EncodedValue {
        let value = EncodedValue()
        members.append((name, value))
        return value
    }
}
