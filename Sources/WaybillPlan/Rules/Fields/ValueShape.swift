import WaybillExpressions
import WaybillJSON

/// What is known about a value before a run: which fields it can have.
indirect enum ValueShape: Sendable {
    /// An unknown value.
    case anything
    /// A value without fields and elements, described in words, such as `a string`.
    case scalar(String)
    /// An object with only these fields.
    case object([(name: String, shape: ValueShape)])
    /// An object with fields of any names.
    case map(ValueShape)
    /// A list with elements of this shape.
    case list(ValueShape)
    /// A list of these elements.
    case elements([ValueShape])
    /// One of these values; never empty.
    case oneOf([JSON])

    /// The maximum number of values that are inspected to find out which fields they can have.
    private static let maximumValues = 1000

    /// The shape of a value that is one of these.
    static func values(_ values: [JSON]) -> ValueShape { values.isEmpty ? .anything : .oneOf(values) }

    /// Why a field or element cannot exist.
    enum Absence: Error {
        /// The value is a scalar, described in words.
        case scalar(String)
        /// The value is a list; its elements may have fields.
        case list
        /// The value is an object, which has no elements.
        case object
        /// The object does not have the field, but has these.
        case name([String])
        /// The list has only this many elements.
        case index(count: Int)
    }

    /// Returns the shape of a field or element.
    func selected(by key: Reference.Segment.Key) throws(Absence) -> ValueShape {
        switch key {
        case .name(let name): try field(name)
        case .index(let index): try element(index)
        }
    }

    private func field(_ name: String) throws(Absence) -> ValueShape {
        switch self {
        case .anything: return .anything
        case .scalar(let words): throw Absence.scalar(words)
        case .list, .elements: throw Absence.list
        case .map(let shape): return shape
        case .object(let fields):
            if let field = fields.first(where: { $0.name.hasSameCodePoints(as: name) }) { return field.shape }
            throw Absence.name(fields.map(\.name))
        case .oneOf(let values):
            let found = values.lazy.compactMap { $0[name] }.prefix(Self.maximumValues + 1)
            if found.isEmpty { throw Self.absence(of: name, in: values) }
            return found.count > Self.maximumValues ? .anything : .oneOf(Array(found))
        }
    }

    private func element(_ index: Int) throws(Absence) -> ValueShape {
        switch self {
        case .anything: return .anything
        case .scalar(let words): throw Absence.scalar(words)
        case .list(let shape): return shape
        case .elements(let shapes):
            let position = index < 0 ? shapes.count + index : index
            guard shapes.indices.contains(position) else { throw Absence.index(count: shapes.count) }
            return shapes[position]
        case .object, .map: throw Absence.object
        case .oneOf(let values):
            let lists = values.compactMap(\.array)
            guard !lists.isEmpty else {
                throw values.contains { $0.object != nil } ? Absence.object : .scalar(values[0].kind.phrase)
            }
            let found = lists.compactMap { list in
                let position = index < 0 ? list.count + index : index
                return list.indices.contains(position) ? list[position] : nil
            }
            if found.isEmpty { throw Absence.index(count: lists.map(\.count).max() ?? 0) }
            return .oneOf(found)
        }
    }

    /// Returns the shape of each element or member.
    func children() throws(Absence) -> ValueShape {
        switch self {
        case .anything, .object, .elements: return .anything
        case .scalar(let words): throw Absence.scalar(words)
        case .map(let shape), .list(let shape): return shape
        case .oneOf(let values):
            if values.count == 1 { return Self.values(values[0].array ?? values[0].object?.values ?? []) }
            var found: [JSON] = []
            for value in values {
                found += value.array ?? value.object?.values ?? []
                if found.count > Self.maximumValues { return .anything }
            }
            return Self.values(found)
        }
    }

    private static func absence(of name: String, in values: [JSON]) -> Absence {
        var names: [String] = []
        var seen: Set<CodePoints> = []
        for object in values.lazy.compactMap(\.object).prefix(maximumValues) {
            for name in object.names where seen.insert(CodePoints(name)).inserted { names.append(name) }
        }
        if !names.isEmpty || values.contains(where: { $0.object != nil }) { return .name(names) }
        return values.contains { $0.array != nil } ? .list : .scalar(values[0].kind.phrase)
    }
}

extension ValueShape {
    /// The shape of the values that a JSON Schema accepts, as far as its plain keywords define it; otherwise
    /// `anything`.
    ///
    /// The recursion is as deep as the document, whose depth is limited when it is read.
    init(schema: JSON) {
        guard case .object(let keywords) = schema else {
            self = .anything
            return
        }
        let types = keywords["type"].map { $0.array ?? [$0] }?.compactMap(\.string) ?? []
        let words = Self.scalars.filter { types.contains($0.type) }.map(\.words)
        if !types.isEmpty, words.count == types.count {
            self = .scalar(words.joined(separator: " or "))
        } else if types == ["array"] {
            self = keywords["prefixItems"] == nil ? .list(ValueShape(schema: keywords["items"] ?? true)) : .anything
        } else if types == ["object"], let fields = Self.closedFields(keywords) {
            self = .object(fields)
        } else {
            self = .anything
        }
    }

    private static let scalars: [(type: String, words: String)] = [
        ("string", "a string"), ("number", "a number"), ("integer", "an integer"),
        ("boolean", "a boolean"), ("null", "null"),
    ]

    /// Returns the fields of an object that can have no others.
    private static func closedFields(_ keywords: JSONObject) -> [(name: String, shape: ValueShape)]? {
        guard keywords["additionalProperties"]?.bool == false, keywords["patternProperties"] == nil else { return nil }
        let properties = keywords["properties"]?.object ?? JSONObject()
        return properties.map { ($0.name, ValueShape(schema: $0.value)) }
    }
}
