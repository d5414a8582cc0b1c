extension ValueTree {
    /// Returns the kind of a value.
    package func kind(of value: Index) -> JSON.Kind { nodes[Int(value)].kind }

    /// Whether a value is neither an array nor an object.
    package func isScalar(_ value: Index) -> Bool {
        switch nodes[Int(value)].kind {
        case .array, .object: false
        default: true
        }
    }

    /// The text of a scalar, as it was written.
    package func text(of scalar: Index) -> String {
        String(decoding: texts[nodes[Int(scalar)].range], as: UTF8.self)
    }

    /// Whether two values are scalars with the same text.
    func hasSameText(_ left: Index, _ right: Index) -> Bool {
        let (first, second) = (nodes[Int(left)], nodes[Int(right)])
        return isScalar(left) && isScalar(right) && texts[first.range].elementsEqual(texts[second.range])
    }

    /// Whether a value is a scalar with this text.
    private func hasText(_ scalar: Index, _ wanted: Span<UInt8>) -> Bool {
        isScalar(scalar) && texts.span.extracting(nodes[Int(scalar)].range).hasSameBytes(as: wanted)
    }

    /// Returns the number of elements of an array.
    package func elementCount(of array: Index) -> Int { Int(nodes[Int(array)].count) }

    /// Returns an element of an array.
    package func element(at position: Int, of array: Index) -> Index {
        children[Int(nodes[Int(array)].start) + position]
    }

    /// Returns the number of members of an object.
    package func memberCount(of object: Index) -> Int { Int(nodes[Int(object)].count) / 2 }

    /// Returns the name of a member, which is a scalar.
    package func name(at position: Int, of object: Index) -> Index {
        children[Int(nodes[Int(object)].start) + 2 * position]
    }

    /// Returns the value of a member.
    package func value(at position: Int, of object: Index) -> Index {
        children[Int(nodes[Int(object)].start) + 2 * position + 1]
    }

    /// Returns the position of the first member with a name.
    package func position(of name: String, in object: Index) -> Int? {
        let count = memberCount(of: object)
        if count >= Self.manyMembers { return namePositions[object]?[CodePoints(name)] }
        return (0..<count).first { hasText(self.name(at: $0, of: object), name.utf8.span) }
    }

    /// Returns the members that repeat the name of an earlier member, each with the first one of that name.
    package func duplicateNames(in object: Index) -> [(first: Int, position: Int)] {
        var found: [(first: Int, position: Int)] = []
        let positions = memberCount(of: object) >= Self.manyMembers ? namePositions[object] : nil
        for position in 0..<memberCount(of: object) {
            let name = name(at: position, of: object)
            guard isScalar(name) else { continue }
            let first =
                positions.map { $0[CodePoints(text(of: name))] }
                ?? (0..<position).first { hasSameText(self.name(at: $0, of: object), name) }
            if let first, first < position { found.append((first, position)) }
        }
        return found
    }

    /// Returns a value as JSON. Members are named by the texts of their names; names that are not scalars are omitted.
    ///
    /// The recursion is as deep as the tree, whose depth is limited when it is read.
    package func json(of value: Index) -> JSON {
        let node = nodes[Int(value)]
        switch node.kind {
        case .null: return .null
        case .boolean: return .bool(texts[Int(node.start)] | 0x20 == UInt8(ascii: "t"))
        case .number: return .number(number(of: value))
        // Documents do not contain bytes.
        case .string, .bytes: return .string(text(of: value))
        case .array: return .array(children[node.range].map { json(of: $0) })
        case .object:
            var object = JSONObject(minimumCapacity: memberCount(of: value))
            for position in 0..<memberCount(of: value) {
                let name = name(at: position, of: value)
                if isScalar(name) { object[text(of: name)] = json(of: self.value(at: position, of: value)) }
            }
            return .object(object)
        }
    }

    /// Returns the number of a scalar of that kind.
    package func number(of scalar: Index) -> JSONNumber {
        unusualNumbers[scalar] ?? JSONNumber(validated: text(of: scalar))
    }
}
