import WaybillJSON
import WaybillSchema

extension ContractDocuments {
    /// Returns the first example of a media type; without one, a value made from its schema: always the same one.
    func example(ofMediaAt media: ContractLocation, for access: SchemaAccess) throws(ContractError) -> JSON? {
        if let example = value(at: media.appending(.name("example"))) { return example }
        let examples = media.appending(.name("examples"))
        if let (name, _) = value(at: examples)?.object?.first {
            let (_, members) = try object(at: examples.appending(.name(name)))
            if let value = members["value"] ?? members["dataValue"] { return value }
        }
        let schema = media.appending(.name("schema"))
        guard value(at: schema) != nil else { return nil }
        var maker = ExampleMaker(documents: self, access: access)
        return maker.value(at: schema, depth: 0)
    }
}

/// Makes values that satisfy schemas, as far as that is simple: patterns and conditions are not considered.
private struct ExampleMaker {
    let documents: ContractDocuments
    let access: SchemaAccess

    /// How deep optional properties and elements are made.
    private static let maximumDepth = 8
    /// The maximum number of values.
    private var left = 5_000

    init(documents: ContractDocuments, access: SchemaAccess) {
        self.documents = documents
        self.access = access
    }

    /// Returns a value for the schema at a location; `nil` if none is found within the limits.
    mutating func value(at start: ContractLocation, depth: Int) -> JSON? {
        left -= 1
        guard left > 0, depth <= 2 * Self.maximumDepth, let value = documents.value(at: start) else { return nil }
        if value.bool != nil { return value == true ? .null : nil }
        guard let (location, schema) = try? documents.object(at: start) else { return nil }
        if let written = schema["example"] ?? schema["examples"]?[0] ?? schema["const"] ?? schema["default"]
            ?? schema["enum"]?[0]
        {
            return written
        }
        if schema["allOf"] != nil { return combined(schema, at: location, depth: depth) }
        for keyword in ["oneOf", "anyOf"] {
            for index in (schema[keyword]?.array ?? []).indices {
                let choice = location.appending(.name(keyword), .index(index))
                if let value = self.value(at: choice, depth: depth + 1) { return value }
            }
        }
        return typed(schema, at: location, depth: depth)
    }

    private mutating func combined(_ schema: JSONObject, at location: ContractLocation, depth: Int) -> JSON? {
        var members = JSONObject()
        var scalar: JSON?
        for index in (schema["allOf"]?.array ?? []).indices {
            let part = value(at: location.appending(.name("allOf"), .index(index)), depth: depth + 1)
            if let object = part?.object {
                for (name, value) in object { members[name] = value }
            } else {
                scalar = scalar ?? part
            }
        }
        if schema["properties"] != nil, let own = typed(schema, at: location, depth: depth)?.object {
            for (name, value) in own { members[name] = value }
        }
        return members.isEmpty && scalar != nil ? scalar : .object(members)
    }

    private mutating func typed(_ schema: JSONObject, at location: ContractLocation, depth: Int) -> JSON? {
        let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string].compactMap { $0 }
        let type =
            types.first { $0 != "null" } ?? types.first
            ?? (schema["properties"] != nil ? "object" : schema["items"] != nil ? "array" : "string")
        switch type {
        case "object": return object(schema, at: location, depth: depth)
        case "array":
            let minimum = schema["minItems"]?.number.flatMap { Int($0.text) } ?? 0
            let count = depth < Self.maximumDepth ? max(minimum, 1) : minimum
            let element = value(at: location.appending(.name("items")), depth: depth + 1)
            guard let element, count <= 100 else { return minimum == 0 ? [] : nil }
            return .array(Array(repeating: element, count: count))
        case "integer", "number": return number(schema, isInteger: type == "integer")
        case "boolean": return true
        case "null": return .null
        default: return string(schema)
        }
    }

    private mutating func object(_ schema: JSONObject, at location: ContractLocation, depth: Int) -> JSON? {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        var members = JSONObject()
        for (name, property) in schema["properties"]?.object ?? JSONObject() {
            if property[access.hiddenProperties] == true { continue }
            let isRequired = required.contains(name)
            guard isRequired || depth < Self.maximumDepth else { continue }
            guard let value = value(at: location.appending(.name("properties"), .name(name)), depth: depth + 1) else {
                if isRequired { return nil }
                continue
            }
            members[name] = value
        }
        return .object(members)
    }

    private func number(_ schema: JSONObject, isInteger: Bool) -> JSON {
        if let multiple = schema["multipleOf"]?.number, schema["minimum"] == nil { return .number(multiple) }
        func exclusive(_ name: String, _ limit: String) -> JSONNumber? {
            schema[name]?.number ?? (schema[name] == true ? schema[limit]?.number : nil)
        }
        if let above = exclusive("exclusiveMinimum", "minimum"), let value = Int(above.text) {
            return .number(JSONNumber(value + 1))
        }
        if let minimum = schema["minimum"]?.number { return .number(minimum) }
        if let below = exclusive("exclusiveMaximum", "maximum"), let value = Int(below.text), value < 2 {
            return .number(JSONNumber(value - 1))
        }
        if let maximum = schema["maximum"]?.number, let value = Double(maximum.text), value < 1 {
            return .number(maximum)
        }
        return 1
    }

    private func string(_ schema: JSONObject) -> JSON {
        let text =
            switch schema["format"]?.string {
            case "date-time": "2026-01-01T00:00:00Z"
            case "date": "2026-01-01"
            case "time": "00:00:00Z"
            case "duration": "P1D"
            case "email", "idn-email": "someone@example.com"
            case "uri", "url", "uri-reference", "iri": "https://example.com/"
            case "uuid": "00000000-0000-4000-8000-000000000000"
            case "hostname", "idn-hostname": "example.com"
            case "ipv4": "192.0.2.1"
            case "ipv6": "2001:db8::1"
            case "byte": "dGV4dA=="
            default: "text"
            }
        let minimum = schema["minLength"]?.number.flatMap { Int($0.text) } ?? 0
        let maximum = schema["maxLength"]?.number.flatMap { Int($0.text) } ?? .max
        let count = text.unicodeScalars.count
        if count < minimum, minimum <= 100_000 {
            return .string(text + String(repeating: "x", count: minimum - count))
        }
        return .string(count > maximum ? String(text.prefix(max(0, maximum))) : text)
    }
}
