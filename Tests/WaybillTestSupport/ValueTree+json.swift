package import WaybillJSON

extension ValueTree {
    /// Creates a tree of one value, as the parser of a document would build it.
    package init(_ value: JSON) {
        self.init()
        add(value)
    }

    /// The value that was added last, which is the whole of a tree made from one value.
    package var root: Index { UInt32(valueCount - 1) }

    @discardableResult
    private mutating func add(_ value: JSON) -> Index {
        switch value {
        case .null: return addScalar(.null, "null")
        case .bool(let value): return addScalar(.boolean, value ? "true" : "false")
        case .number(let number): return addScalar(.number, number.text)
        case .string(let text): return addScalar(.string, text)
        case .bytes(let bytes): return addScalar(.string, Base64.encode(bytes))
        case .array(let elements):
            let parts = elements.map { add($0) }
            return addArray(parts[...])
        case .object(let members):
            let parts = members.flatMap { [addScalar(.string, $0.name), add($0.value)] }
            return addObject(parts[...])
        }
    }

    private mutating func addScalar(_ kind: JSON.Kind, _ text: String) -> Index {
        addScalar(kind, text: Array(text.utf8))
    }
}
