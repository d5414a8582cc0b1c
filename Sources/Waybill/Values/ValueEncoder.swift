import WaybillJSON

/// Encodes a value as JSON; also the container of a value that is neither a list nor an object.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let target: EncodedValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(MemberEncoder(target: target, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if target.elements == nil { target.elements = [] }
        return ElementEncoder(target: target, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { target.scalar = .null }

    func encode<T: Encodable>(_ value: T) throws {
        guard let scalar = value as? any ValueScalar else { return try value.encode(to: self) }
        guard let json = scalar.encoded else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: codingPath, debugDescription: "JSON cannot represent the value")
            )
        }
        target.scalar = json
    }
}

/// Encodes the members of an object.
private struct MemberEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: EncodedValue
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { encoder(of: key).encodeNil() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder(of: key).encode(value) }

    // For these types, the protocol's functions throw.
    func encode(_ value: Int128, forKey key: Key) throws { try encodeMember(value, key) }
    func encode(_ value: UInt128, forKey key: Key) throws { try encodeMember(value, key) }

    private func encodeMember<T: Encodable>(_ value: T, _ key: Key) throws { try encoder(of: key).encode(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(of: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(of: key).unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder(of: ValueKey("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(of: key) }

    private func encoder(of key: some CodingKey) -> ValueEncoder {
        ValueEncoder(target: target.addMember(key.stringValue), codingPath: codingPath + [key])
    }
}

/// Encodes the elements of a list.
private struct ElementEncoder: UnkeyedEncodingContainer {
    let target: EncodedValue
    let codingPath: [any CodingKey]

    var count: Int { target.elements?.count ?? 0 }

    func encodeNil() { next().encodeNil() }

    func encode<T: Encodable>(_ value: T) throws { try next().encode(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        next().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

    func superEncoder() -> any Encoder { next() }

    private func next() -> ValueEncoder {
        let key = ValueKey(count)
        return ValueEncoder(target: target.addElement(), codingPath: codingPath + [key])
    }
}
