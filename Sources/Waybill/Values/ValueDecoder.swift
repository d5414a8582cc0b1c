import WaybillJSON

/// Decodes a JSON value; also the container of a value that is neither a list nor an object.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let json: JSON
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let object = json.object else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(MemberDecoder(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let array = json.array else { throw mismatch([Any].self) }
        return ElementDecoder(elements: array, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { json.kind == .null }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let scalar = type as? any Scalar.Type else { return try T(from: self) }
        guard let value = scalar.init(json) as? T else { throw mismatch(type) }
        return value
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        let number = json.number.map { " \($0.text)" } ?? ""
        let words = json.kind == .null ? "null" : "the \(json.kind.rawValue)\(number)"
        return .typeMismatch(
            type,
            .init(codingPath: codingPath, debugDescription: "\(words) has the wrong type or is out of range")
        )
    }
}

/// A type that JSON represents directly.
private protocol Scalar {
    /// Creates the value; `nil` if the JSON value has another kind, or is out of range.
    init?(_ json: JSON)
}

extension Bool: Scalar {
    fileprivate init?(_ json: JSON) {
        guard let bool = json.bool else { return nil }
        self = bool
    }
}

extension String: Scalar {
    fileprivate init?(_ json: JSON) {
        guard let string = json.string else { return nil }
        self = string
    }
}

extension BinaryFloatingPoint {
    fileprivate init?(_ json: JSON) {
        guard let double = json.number?.double else { return nil }
        let value = Self(double)
        guard value.isFinite else { return nil }
        self = value
    }
}

extension FixedWidthInteger {
    fileprivate init?(_ json: JSON) {
        guard let number = json.number else { return nil }
        if let int = number.int {
            self.init(exactly: int)
        } else {
            // A number outside the range of Int may still be in the range of another type.
            self.init(number.text, radix: 10)
        }
    }
}

extension Double: Scalar {}
extension Float: Scalar {}
extension Int: Scalar {}
extension Int8: Scalar {}
extension Int16: Scalar {}
extension Int32: Scalar {}
extension Int64: Scalar {}
extension Int128: Scalar {}
extension UInt: Scalar {}
extension UInt8: Scalar {}
extension UInt16: Scalar {}
extension UInt32: Scalar {}
extension UInt64: Scalar {}
extension UInt128: Scalar {}

extension JSONValue {
    /// Decodes the value as a type.
    ///
    /// ```swift
    /// struct Totals: Decodable { var spent: Double }
    /// let totals = try report.outputs.decode([String: Totals].self)
    /// ```
    ///
    /// A number can be decoded as an integer only if it is one and in range, and as a `Double` only if it is not too
    /// large.
    ///
    /// - Throws: `DecodingError` with the path to the value that could not be decoded.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try ValueDecoder(json: json, codingPath: []).decode(type)
    }
}
