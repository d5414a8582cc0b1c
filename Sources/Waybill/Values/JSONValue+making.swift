import WaybillJSON

extension JSONValue {
    /// `null`
    public static let null = JSONValue(.null)

    /// A boolean.
    public static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }

    /// An integer.
    public static func number(_ value: Int) -> JSONValue { JSONValue(.number(JSONNumber(value))) }

    /// A number with the fewest digits that read back as the same value; `null` for infinities and NaN, which JSON does
    /// not have.
    public static func number(_ value: Double) -> JSONValue { JSONValue(JSONNumber(value).map(JSON.number) ?? .null) }

    /// A number with all of its digits, as written in JSON; `nil` if the string is not a JSON number.
    public static func number(digits: String) -> JSONValue? {
        JSONNumber(parsing: digits).map { JSONValue(.number($0)) }
    }

    /// A string.
    public static func string(_ value: String) -> JSONValue { JSONValue(.string(value)) }

    /// A list.
    public static func array(_ elements: [JSONValue]) -> JSONValue { JSONValue(part: .array(elements.map(\.json))) }

    /// Members by name, in order. If a name is repeated, the last value wins.
    public static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        JSONValue(part: .object(JSONObject(members.map { ($0.key, $0.value.json) })))
    }

    /// Parses a JSON text; `nil` if it is not valid.
    public init?(parsing text: String) {
        guard let json = try? JSONParser().parse(Array(text.utf8)) else { return nil }
        self.init(json)
    }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int) { self = .number(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Members by name, in order. If a name is repeated, the last value wins.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(part: .object(JSONObject(members.map { ($0.0, $0.1.json) })))
    }
}
