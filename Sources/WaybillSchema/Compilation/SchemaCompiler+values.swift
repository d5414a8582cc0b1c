import WaybillDiagnostics
import WaybillJSON

extension SchemaCompiler {
    /// Reads `type`, `const` and `enum`.
    func readTypes(_ source: SchemaSource, into rules: inout SchemaRules) throws(JSONSchemaError) {
        if let value = source.members["type"] {
            var types: [SchemaType] = []
            for name in value.array ?? [value] {
                guard let text = name.string else {
                    throw documents.error("must be the name of a type or a list of them", at: source.location, "type")
                }
                guard let type = SchemaType(rawValue: text) else {
                    let names = SchemaType.allCases.map(\.rawValue)
                    let hint = NearestName.of(text, among: names).map { "did you mean '\($0)'?" }
                    let list = "the types are \(names.joined(separator: ", "))"
                    throw documents.error(
                        "names the unknown type '\(text)'; \(hint ?? list)",
                        at: source.location,
                        "type"
                    )
                }
                types.append(type)
            }
            guard !types.isEmpty else { throw documents.error("must not be empty", at: source.location, "type") }
            rules.types = SchemaTypeSet(types)
        }
        if let value = source.members["const"] { rules.constant = AllowedValues([value]) }
        rules.enumeration = try value(source, "enum", "a list of values", \.array).map(AllowedValues.init)
    }

    /// Compiles the rules for numbers.
    func numberRules(_ source: SchemaSource) throws(JSONSchemaError) -> NumberRules {
        let rules = NumberRules(
            minimum: try number(source, "minimum"),
            maximum: try number(source, "maximum"),
            exclusiveMinimum: try number(source, "exclusiveMinimum"),
            exclusiveMaximum: try number(source, "exclusiveMaximum"),
            multipleOf: try number(source, "multipleOf")
        )
        if let divisor = rules.multipleOf, divisor <= JSONNumber(0) {
            throw documents.error("must be greater than 0", at: source.location, "multipleOf")
        }
        return rules
    }

    /// Compiles the rules for strings.
    func stringRules(
        _ source: SchemaSource,
        validation: Bool,
        format: Bool
    ) throws(JSONSchemaError) -> StringRules {
        var rules = StringRules()
        if validation {
            rules.minLength = try count(source, "minLength")
            rules.maxLength = try count(source, "maxLength")
            if let text = try value(source, "pattern", "a regular expression", \.string) {
                rules.pattern = try pattern(text, source, [.name("pattern")])
            }
        }
        let name = try value(source, "format", "the name of a format", \.string)
        if format { rules.format = name.flatMap(StringFormat.init) }
        return rules
    }

    /// Compiles a regular expression at a path inside a schema.
    func pattern(
        _ text: String,
        _ source: SchemaSource,
        _ path: [JSONPointer.Token]
    ) throws(JSONSchemaError) -> RegularExpression {
        do {
            return try RegularExpression(text, .ecmaScript)
        } catch {
            let message = "is not a valid regular expression: \(error.message), at character \(error.offset + 1)"
            throw documents.error(message, at: source.location, path)
        }
    }

    /// Reads a keyword that limits a count: an integer, 0 or greater. A value beyond `Int` is treated as `Int.max`.
    func count(_ source: SchemaSource, _ keyword: String) throws(JSONSchemaError) -> Int? {
        try value(source, keyword, "an integer, 0 or greater") { value in
            guard let number = value.number, number.isInteger, number >= JSONNumber(0) else { return nil }
            return number.int ?? .max
        }
    }

    /// Reads a keyword that is true or false.
    func flag(_ source: SchemaSource, _ keyword: String) throws(JSONSchemaError) -> Bool {
        try value(source, keyword, "true or false", \.bool) ?? false
    }

    /// Reads a list of names.
    func names(
        _ value: JSON,
        _ source: SchemaSource,
        _ path: [JSONPointer.Token]
    ) throws(JSONSchemaError) -> [String] {
        let names = value.array?.compactMap(\.string) ?? []
        guard let elements = value.array, elements.count == names.count else {
            throw documents.error("must be a list of names", at: source.location, path)
        }
        return names
    }

    private func number(_ source: SchemaSource, _ keyword: String) throws(JSONSchemaError) -> JSONNumber? {
        try value(source, keyword, "a number", \.number)
    }

    /// Reads a keyword; `nil` if the schema does not have it.
    ///
    /// - Parameters:
    ///   - expected: What its value must be, for the error.
    ///   - read: Returns the value as a type; `nil` if it has another one.
    func value<Value>(
        _ source: SchemaSource,
        _ keyword: String,
        _ expected: String,
        _ read: (JSON) -> Value?
    ) throws(JSONSchemaError) -> Value? {
        guard let json = source.members[keyword] else { return nil }
        guard let value = read(json) else { throw documents.error("must be \(expected)", at: source.location, keyword) }
        return value
    }
}
