import WaybillJSON

/// Phrases for messages, in the terms of people who write YAML.
enum Wording {
    /// `a, b or c`
    static func list(_ items: [String], _ conjunction: String = "or") -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }

    /// `'a', 'b' or 'c'`
    static func names(_ names: [String], _ conjunction: String = "or") -> String {
        list(names.map { "'\($0)'" }, conjunction)
    }

    /// `the key 'a'`, `the keys 'a' and 'b'`
    static func keys(_ names: [String], _ conjunction: String = "and") -> String {
        (names.count == 1 ? "the key " : "the keys ") + self.names(names, conjunction)
    }

    /// `1 element`, `2 elements`
    static func count(_ number: Int, _ noun: String) -> String {
        let plural = noun.hasSuffix("y") && !noun.hasSuffix("ey") ? String(noun.dropLast()) + "ies" : noun + "s"
        return "\(number) \(number == 1 ? noun : plural)"
    }

    /// Describes a container with too few elements or keys.
    static func tooFew(_ count: Int, _ least: Int, _ noun: String) -> String {
        switch (count, least) {
        case (0, 1): "must not be empty"
        case (0, _) where noun != "key":
            "must not be empty" + (noun == "element" ? ", but have at least \(self.count(least, noun))" : "")
        default: "must have at least \(self.count(least, noun)), but has \(count)"
        }
    }

    /// Describes a container with too many elements or keys.
    static func tooMany(_ count: Int, _ most: Int, _ noun: String) -> String {
        "must have at most \(self.count(most, noun)), but has \(count)"
    }

    /// Returns a type as the items it takes in a list: `true or false` alone, `true` and `false` among others.
    static func words(_ type: SchemaType, isAlone: Bool) -> [String] {
        type == .boolean && !isAlone ? ["true", "false"] : [type.words]
    }

    /// Returns a phrase for a mapping, with the names that it must have if they are few.
    static func mapping(with required: [String]) -> String {
        (1...3).contains(required.count) ? "a mapping with \(keys(required))" : "a mapping"
    }

    /// Describes a value, as in “but is a number”.
    static func found(_ instance: JSON, expected: [SchemaType]) -> String {
        switch instance {
        case .bool(let value): value ? "true" : "false"
        case .number(let number) where expected.contains(.integer): short(number)
        default: SchemaType(instance.kind).words
        }
    }

    /// Returns a number, or how long it is. It is not cut, because a part of a secret is not recognised.
    static func short(_ number: JSONNumber) -> String {
        number.text.utf8.count <= 80 ? number.text : "a number of \(number.text.utf8.count) characters"
    }

    /// Returns the type of a value.
    static func type(of instance: JSON) -> SchemaType {
        instance.number?.isInteger == true ? .integer : SchemaType(instance.kind)
    }

    /// Describes one of the values that a schema allows.
    static func value(_ value: JSON) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let number): number.text
        case .string(let string): "'\(string)'"
        case .bytes: "certain bytes"
        case .array(let elements): elements.isEmpty ? "an empty list" : "a certain list"
        case .object(let members): members.isEmpty ? "an empty mapping" : "a certain mapping"
        }
    }

    /// `must be 'a', 'b' or 'c'`; long lists are truncated.
    static func mustBe(_ allowed: [JSON]) -> String {
        guard !allowed.isEmpty else { return "is not allowed" }
        var items = allowed.prefix(12).map(value)
        if allowed.count > items.count { items.append("one of \(allowed.count - items.count) more values") }
        return "must be " + list(items)
    }
}
