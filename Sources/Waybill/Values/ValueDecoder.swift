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
        guard let scalar = type as? any ValueScalar.Type else { return try T(from: self) }
        guard let value = scalar.init(decoding: json) as? T else { throw mismatch(type) }
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
