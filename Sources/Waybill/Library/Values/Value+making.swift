import WaybillJSON

extension Value {
    /// `null`
    public static let null = Value(.null)

    /// A boolean.
    public static func bool(_ value: Bool) -> Value { Value(.bool(value)) }

    /// A whole number.
    public static func number(_ value: Int) -> Value { Value(.number(JSONNumber(value))) }

    /// A number, in the fewest digits that read back the same; `null` for infinities and NaN, which JSON lacks.
    public static func number(_ value: Double) -> Value { Value(JSONNumber(value).map(JSON.number) ?? .null) }

    /// A number with all of its digits, as JSON writes it; `nil` where the text is no such number.
    public static func number(digits: String) -> Value? { JSONNumber(parsing: digits).map { Value(.number($0)) } }

    /// A string.
    public static func string(_ value: String) -> Value { Value(.string(value)) }

    /// A list.
    public static func array(_ elements: [Value]) -> Value { Value(.array(elements.map(\.json))) }

    /// Members by their names, in order; where a name comes again, the last value wins.
    public static func object(_ members: KeyValuePairs<String, Value>) -> Value {
        Value(.object(JSONObject(members.map { ($0.key, $0.value.json) })))
    }

    /// The value of a JSON text; `nil` where it is none.
    public init?(parsing text: String) {
        guard let json = try? JSONParser().parse(Array(text.utf8)) else { return nil }
        self.init(json)
    }
}

extension Value: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .number(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    /// Members by their names, in order; where a name comes again, the last value wins.
    public init(dictionaryLiteral members: (String, Value)...) {
        self.init(.object(JSONObject(members.map { ($0.0, $0.1.json) })))
    }
}
