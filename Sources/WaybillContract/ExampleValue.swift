import WaybillJSON
import WaybillSchema

extension ContractDocuments {
    /// Returns the first example of a media type, a header field or a parameter; without one, a value made from its schema:
    /// always the same one. `nil` if there is none.
    func example(at owner: ContractLocation, for access: SchemaAccess) -> JSON? {
        if let example = value(at: owner.appending(.name("example"))) { return example }
        let examples = owner.appending(.name("examples"))
        if let (name, _) = value(at: examples)?.object?.first,
            let members = try? object(at: examples.appending(.name(name))).members,
            let value = members["value"] ?? members["dataValue"]
        {
            return value
        }
        let schema = owner.appending(.name("schema"))
        guard value(at: schema) != nil else { return nil }
        var maker = ExampleMaker(documents: self, access: access)
        return maker.value(at: schema, depth: 0)
    }
}

/// Makes values that satisfy schemas, as far as that is simple: conditions are not considered.
private struct ExampleMaker {
    let documents: ContractDocuments
    let access: SchemaAccess

    /// How deep optional properties and elements are made.
    private static let maximumDepth = 8
    /// The maximum number of elements of a list.
    private static let maximumCount = 100
    /// The maximum number of values.
    private var left = 5_000
    /// The maximum number of bytes of repeated elements and long strings.
    private var bytesLeft = 4 << 20

    init(documents: ContractDocuments, access: SchemaAccess) {
        self.documents = documents
        self.access = access
    }

    /// Returns a value for the schema at a location; `nil` if none is found within the limits.
    ///
    /// - Parameter required: The members that other parts of `allOf` require; `nil` if the schema is not such a part.
    mutating func value(at start: ContractLocation, depth: Int, requiring required: Set<String>? = nil) -> JSON? {
        left -= 1
        guard left > 0, depth <= 2 * Self.maximumDepth, let value = documents.value(at: start) else { return nil }
        if value.bool != nil { return value == true ? .null : nil }
        guard let (location, schema) = try? documents.schemaObject(at: start) else { return nil }
        if let written = schema["example"] ?? schema["examples"]?[0] ?? schema["const"] ?? schema["default"]
            ?? schema["enum"]?[0]
        {
            return written
        }
        if schema["allOf"] != nil { return combined(schema, at: location, depth: depth, requiring: required) }
        for keyword in ["oneOf", "anyOf"] where schema[keyword] != nil {
            return alternative(keyword, of: schema, at: location, depth: depth)
        }
        return typed(schema, at: location, depth: depth, requiring: required)
    }

    /// Returns a value for one of several alternatives, which no other one accepts, too, if only one may.
    private mutating func alternative(
        _ keyword: String,
        of schema: JSONObject,
        at location: ContractLocation,
        depth: Int
    ) -> JSON? {
        let whole = try? documents.schema(at: location, for: access)
        var first: JSON?
        for index in (schema[keyword]?.array ?? []).indices {
            let choice = location.appending(.name(keyword), .index(index))
            guard var value = self.value(at: choice, depth: depth + 1) else { continue }
            if schema["properties"] != nil, let own = typed(schema, at: location, depth: depth) {
                value = Self.merged(own, value)
            }
            if whole?.validate(value, limit: 1).isEmpty == true { return value }
            first = first ?? value
        }
        return first
    }

    private mutating func combined(
        _ schema: JSONObject,
        at location: ContractLocation,
        depth: Int,
        requiring outer: Set<String>?
    ) -> JSON? {
        let parts = (schema["allOf"]?.array ?? []).indices.map { location.appending(.name("allOf"), .index($0)) }
        var required = outer ?? []
        for part in [schema] + parts.compactMap(documents.resolved) { required.formUnion(part.requiredNames) }
        // A later part may only refine a member of an earlier one.
        var (whole, refined): (JSON?, JSON?)
        func add(_ part: JSON) {
            whole = whole.map { Self.merged($0, part) } ?? part
            refined = refined.map { Self.merged(part, $0) } ?? part
        }
        for part in parts {
            guard let value = value(at: part, depth: depth + 1, requiring: required) else { return nil }
            // A part without a type accepts everything, or only requires members.
            if documents.hasType(part) { add(value) }
        }
        if schema["properties"] != nil || whole == nil {
            guard let own = typed(schema, at: location, depth: depth, requiring: required) else { return nil }
            add(own)
        }
        let schema = whole == refined ? nil : try? documents.schema(at: location, for: access)
        if let refined, schema?.isValid(refined) == true, whole.map({ schema?.isValid($0) }) == false {
            whole = refined
        }
        if outer == nil, case .object(var members)? = whole {
            for name in required.sorted() where members[name] == nil { members[name] = "text" }
            return .object(members)
        }
        return whole
    }

    /// Returns the members of two objects, or the first of two other values.
    private static func merged(_ left: JSON, _ right: JSON) -> JSON {
        guard case .object(var members) = left, case .object(let others) = right else { return left }
        for (name, value) in others { members[name] = value }
        return .object(members)
    }

    private mutating func typed(
        _ schema: JSONObject,
        at location: ContractLocation,
        depth: Int,
        requiring required: Set<String>? = nil
    ) -> JSON? {
        let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string].compactMap { $0 }
        let isObject = schema["properties"] != nil || schema["required"] != nil
        let type =
            types.first { $0 != "null" } ?? types.first
            ?? (isObject ? "object" : schema["items"] != nil ? "array" : "string")
        switch type {
        case "object": return object(schema, at: location, depth: depth, requiring: required)
        case "array": return array(schema, at: location, depth: depth)
        case "integer", "number": return number(schema, isInteger: type == "integer")
        case "boolean": return true
        case "null": return .null
        default: return string(schema)
        }
    }

    private mutating func array(_ schema: JSONObject, at location: ContractLocation, depth: Int) -> JSON? {
        let minimum = schema["minItems"]?.number.flatMap { Int($0.text) } ?? 0
        let maximum = schema["maxItems"]?.number.flatMap { Int($0.text) } ?? .max
        guard minimum <= Self.maximumCount else { return nil }
        var elements: [JSON] = []
        for index in (schema["prefixItems"]?.array ?? []).indices.prefix(maximum) {
            guard let value = value(at: location.appending(.name("prefixItems"), .index(index)), depth: depth + 1)
            else {
                return nil
            }
            elements.append(value)
        }
        if schema["contains"] != nil, let value = value(at: location.appending(.name("contains")), depth: depth + 1) {
            elements.append(value)
        }
        let items = location.appending(.name("items"))
        let wanted = min(depth < Self.maximumDepth && schema["items"] != nil ? max(minimum, 1) : minimum, maximum)
        guard elements.count < wanted else { return .array(elements) }
        guard let element = schema["items"] == nil ? "text" : value(at: items, depth: depth + 1) else {
            return elements.count >= minimum ? .array(elements) : nil
        }
        let isUnique = schema["uniqueItems"] == true
        // Unique elements are compared with one another.
        guard takes(element, times: (wanted - elements.count) * (isUnique ? wanted : 1)) else { return nil }
        let others = isUnique ? documents.resolved(items)?["enum"]?.array ?? [] : []
        while elements.count < wanted {
            guard isUnique else {
                elements.append(element)
                continue
            }
            let candidates = others.isEmpty ? (0...elements.count).map { Self.varied(element, $0) } : others
            guard let next = candidates.first(where: { !elements.contains($0) }) else { break }
            elements.append(next)
        }
        return elements.count >= minimum ? .array(elements) : nil
    }

    /// Returns whether copies of a value are within the limit of bytes, and counts them.
    private mutating func takes(_ value: JSON, times count: Int) -> Bool {
        if count == 1 { return true }
        guard let size = JSONWriter(maximumBytes: max(bytesLeft, 0)).wholeText(value)?.count else { return false }
        bytesLeft -= size * count
        return bytesLeft >= 0
    }

    /// Returns a value like another one, different for each number.
    private static func varied(_ value: JSON, _ number: Int) -> JSON {
        if number == 0 { return value }
        switch value {
        case .number(let first): return Int(first.text).map { .number(JSONNumber($0 + number)) } ?? value
        case .string(let text):
            // The length stays, and with it most formats.
            let digits = "\(number)"
            let kept = text.unicodeScalars.dropLast(digits.unicodeScalars.count)
            return .string(String(kept) + digits)
        case .object(var members):
            for (name, value) in members where value.number != nil || value.string != nil {
                members[name] = varied(value, number)
            }
            return .object(members)
        case .null, .bool, .array, .bytes: return value
        }
    }

    private mutating func object(
        _ schema: JSONObject,
        at location: ContractLocation,
        depth: Int,
        requiring others: Set<String>?
    ) -> JSON? {
        let required = schema.requiredNames.union(others ?? [])
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
        // Other parts may describe the rest.
        guard others == nil else { return .object(members) }
        let other = location.appending(.name("additionalProperties"))
        for name in required.sorted() where members[name] == nil && schema["properties"]?[name] == nil {
            members[name] = value(at: other, depth: depth + 1) ?? "text"
        }
        let minimum = min(schema["minProperties"]?.number.flatMap { Int($0.text) } ?? 0, Self.maximumCount)
        var number = 1
        while members.count < minimum {
            if members["key\(number)"] == nil { members["key\(number)"] = value(at: other, depth: depth + 1) ?? "text" }
            number += 1
        }
        return .object(members)
    }

    private func number(_ schema: JSONObject, isInteger: Bool) -> JSON {
        /// The limit, and whether the value must differ from it, which OpenAPI 3.0 says with a Boolean value.
        func limit(_ name: String, _ exclusive: String) -> (value: Double, isExclusive: Bool)? {
            if let value = schema[exclusive]?.number.flatMap({ Double($0.text) }) { return (value, true) }
            return schema[name]?.number.flatMap { Double($0.text) }.map { ($0, schema[exclusive] == true) }
        }
        if isInteger, schema["multipleOf"] == nil, let exact = schema["minimum"]?.number.flatMap({ Int($0.text) }),
            schema["exclusiveMinimum"] == nil
        {
            return .number(JSONNumber(exact))
        }
        let lowest = limit("minimum", "exclusiveMinimum")
        let highest = limit("maximum", "exclusiveMaximum")
        let step = schema["multipleOf"]?.number.flatMap { Double($0.text) } ?? (isInteger ? 1 : nil)
        var value = max(step ?? 1, 1)
        if let lowest {
            value = step.map { (lowest.value / $0).rounded(.up) * $0 } ?? lowest.value
            if lowest.isExclusive, value == lowest.value { value += step ?? 1 }
        }
        if let highest, value > highest.value || highest.isExclusive && value == highest.value {
            if let lowest, step == nil {
                value = (lowest.value + highest.value) / 2
            } else {
                value = step.map { (highest.value / $0).rounded(.down) * $0 } ?? highest.value
                if highest.isExclusive, value == highest.value { value -= step ?? 1 }
            }
        }
        let text = Int(exactly: value).map { "\($0)" } ?? "\(value)"
        return JSONNumber(parsing: text).map(JSON.number) ?? 1
    }

    private mutating func string(_ schema: JSONObject) -> JSON {
        let minimum = schema["minLength"]?.number.flatMap { Int($0.text) } ?? 0
        let maximum = schema["maxLength"]?.number.flatMap { Int($0.text) } ?? .max
        if let pattern = schema["pattern"]?.string,
            // The time grows with the square of the length.
            let text = RegularExpression.example(of: pattern, atLeast: min(minimum, 10_000, bytesLeft))
        {
            bytesLeft -= text.utf8.count
            return .string(text)
        }
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
            case "json-pointer": "/a"
            case "relative-json-pointer": "0/a"
            default: "text"
            }
        let count = text.unicodeScalars.count
        if count < minimum, minimum <= min(100_000, bytesLeft) {
            bytesLeft -= minimum
            return .string(text + String(repeating: "x", count: minimum - count))
        }
        return .string(count > maximum ? String(text.prefix(max(0, maximum))) : text)
    }
}

extension JSONObject {
    /// The names under `required`.
    fileprivate var requiredNames: Set<String> { Set((self["required"]?.array ?? []).compactMap(\.string)) }
}

extension ContractDocuments {
    /// Returns the schema at a location, or the one that it refers to, if that is an object.
    fileprivate func resolved(_ location: ContractLocation) -> JSONObject? { try? schemaObject(at: location).members }

    /// Whether a schema says more than which members an object must have.
    fileprivate func hasType(_ location: ContractLocation) -> Bool {
        guard let schema = resolved(location) else { return false }
        let keywords = ["type", "properties", "allOf", "oneOf", "anyOf", "enum", "const", "example", "items"]
        return keywords.contains { schema[$0] != nil }
    }
}
