import WaybillJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONValue {
    /// Encodes a value of the program as JSON.
    ///
    /// ```swift
    /// struct Order: Encodable { var sku: String; var due: Date }
    /// let value = try JSONValue(encoding: Order(sku: "A-1", due: .now))
    /// ```
    ///
    /// Numbers keep all their digits, those of a `Decimal` too. A `Date` becomes a string in the format of RFC 3339, in UTC
    /// and to the millisecond; `Data` a string in Base64; `URL` and `UUID` a string.
    ///
    /// - Throws: `EncodingError` for what JSON cannot represent, such as an infinite number.
    public init(encoding value: some Encodable) throws {
        let target = EncodedValue()
        try ValueEncoder(target: target, codingPath: []).encode(value)
        self.init(target.json)
    }

    /// Decodes the value as a type.
    ///
    /// ```swift
    /// struct Totals: Decodable { var spent: Decimal }
    /// let totals = try report.outputs.decode([String: Totals].self)
    /// ```
    ///
    /// A number can be decoded as an integer only if it is one and in range, as a `Double` only if it is not too large,
    /// and as a `Decimal` only with all of its digits. A `Date` is a string in the format of RFC 3339, of the years
    /// 1678 to 2261, `Data` a string in Base64; `URL` and `UUID` are strings.
    ///
    /// - Throws: `DecodingError` with the path to the value that could not be decoded.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try ValueDecoder(json: json, codingPath: []).decode(type)
    }
}

extension JSONValue: Codable {
    /// Decodes any value.
    ///
    /// The decoders of other formats and modules keep what they can: Foundation's `JSONDecoder` keeps up to 38 digits of a
    /// number, but neither zeros at its end nor the order of members.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self.init(decoder.json)
        } else if let scalar = try? decoder.singleValueContainer(), let json = Self.json(in: scalar) {
            self.init(json)
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [JSON] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self).json) }
            self.init(.array(values))
        } else {
            let container = try decoder.container(keyedBy: ValueKey.self)
            var members = JSONObject()
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key).json
            }
            self.init(.object(members))
        }
    }

    /// Returns the value in a container; `nil` if it is an object or a list.
    private static func json(in container: any SingleValueDecodingContainer) -> JSON? {
        if container.decodeNil() { return .null }
        if let bool = try? container.decode(Bool.self) { return .bool(bool) }
        if let int = try? container.decode(Int.self) { return int.encoded }
        if let int = try? container.decode(UInt64.self) { return int.encoded }
        let double = try? container.decode(Double.self)
        // A decimal has more digits, but a smaller range.
        if let decimal = try? container.decode(Decimal.self).encoded,
            double == nil || decimal.number?.double == double
        {
            return decimal
        }
        if let double { return double.encoded }
        return (try? container.decode(String.self))?.encoded
    }

    /// Encodes the value.
    ///
    /// A number is encoded as an integer or as a `Double` if these have its value, otherwise as a `Decimal`.
    ///
    /// - Throws: `EncodingError` if the number is too large for all of them.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ValueEncoder {
            encoder.target.scalar = json
            return
        }
        switch json {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let bool): try bool.encode(to: encoder)
        case .number(let number): try encode(number, to: encoder)
        case .string(let string): try string.encode(to: encoder)
        // `init` leaves no bytes in a value.
        case .bytes(let bytes): try Base64.encode(bytes).encode(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(JSONValue(element)) }
        case .object(let members):
            var container = encoder.container(keyedBy: ValueKey.self)
            for (name, value) in members { try container.encode(JSONValue(value), forKey: ValueKey(name)) }
        }
    }

    private func encode(_ number: JSONNumber, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let int = Int(decoding: json) {
            try container.encode(int)
        } else if let int = UInt64(decoding: json) {
            try container.encode(int)
        } else if let double = Double(decoding: json), double.encoded == json {
            try container.encode(double)
        } else if let decimal = Decimal(decoding: json) {
            try container.encode(decimal)
        } else if let double = Double(decoding: json) {
            try container.encode(double)
        } else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: encoder.codingPath, debugDescription: "the number \(number.text) is too large")
            )
        }
    }
}

extension [String: JSONValue] {
    /// Creates inputs of a manifest from the properties of a value, encoded as ``JSONValue/init(encoding:)`` does.
    ///
    /// ```swift
    /// struct Inputs: Encodable { var username: String; var since: Date }
    /// let plan = try manifest.plan(inputs: .init(encoding: Inputs(username: "ann", since: .now)))
    /// ```
    ///
    /// - Throws: `EncodingError` if the value is not an object, or if JSON cannot represent it.
    public init(encoding value: some Encodable) throws {
        guard let object = try JSONValue(encoding: value).json.object else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: [], debugDescription: "the inputs of a manifest must be an object")
            )
        }
        self.init(object.map { ($0.name, JSONValue($0.value)) }) { _, last in last }
    }
}
