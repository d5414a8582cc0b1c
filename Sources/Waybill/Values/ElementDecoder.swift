import WaybillJSON

/// Decodes the elements of a list, one after another.
struct ElementDecoder: UnkeyedDecodingContainer {
    let elements: [JSON]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try decoder(of: Never?.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(type) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }

    /// Returns what a function reads from the next element, and moves past it.
    private mutating func next<Result>(_ type: Any.Type, _ read: (ValueDecoder) throws -> Result) throws -> Result {
        let result = try read(try decoder(of: type))
        currentIndex += 1
        return result
    }

    private func decoder(of type: Any.Type) throws -> ValueDecoder {
        let path = codingPath + [ValueKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                .init(codingPath: path, debugDescription: "the list has only \(elements.count) elements")
            )
        }
        return ValueDecoder(json: elements[currentIndex], codingPath: path)
    }
}
