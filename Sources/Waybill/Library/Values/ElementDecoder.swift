import WaybillJSON

/// Decodes the elements of a list, one after another.
struct ElementDecoder: UnkeyedDecodingContainer {
    private let elements: [JSON]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(_ elements: [JSON], at codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try decoder(of: Never?.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try decoder(of: type).decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try decoder(of: type).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder(of: [Any].self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try decoder(of: (any Decoder).self)
        currentIndex += 1
        return decoder
    }

    private func decoder(of type: Any.Type) throws -> ValueDecoder {
        let path = codingPath + [ValueKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                .init(codingPath: path, debugDescription: "the list has only \(elements.count) elements")
            )
        }
        return ValueDecoder(elements[currentIndex], at: path)
    }
}
