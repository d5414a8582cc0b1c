import WaybillJSON

extension NumberRules {
    func accepts(_ number: JSONNumber) -> Bool {
        if let minimum, number < minimum { return false }
        if let maximum, maximum < number { return false }
        if let exclusiveMinimum, number <= exclusiveMinimum { return false }
        if let exclusiveMaximum, exclusiveMaximum <= number { return false }
        if let multipleOf, !number.isMultiple(of: multipleOf) { return false }
        return true
    }
}

extension StringRules {
    func accepts(_ string: String, steps: inout Int) -> Bool {
        var string = string
        return string.withUTF8 { accepts($0, steps: &steps) }
    }

    /// Whether a string in UTF-8 satisfies the rules.
    func accepts(_ text: UnsafeBufferPointer<UInt8>, steps: inout Int) -> Bool {
        acceptsLength(of: text) && pattern?.occurs(in: text, steps: &steps) ?? true
            && format?.accepts(String(decoding: text, as: UTF8.self)) ?? true
    }

    /// Lengths count code points: at most one per byte of UTF-8, and at least one per four bytes.
    private func acceptsLength(of text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = text.count
        if let minLength, bytes < minLength { return false }
        if let maxLength, bytes / 4 > maxLength { return false }
        let isMinimumSure = minLength.map { bytes / 4 >= $0 } ?? true
        let isMaximumSure = maxLength.map { bytes <= $0 } ?? true
        if isMinimumSure && isMaximumSure { return true }
        let length = text.count { $0 & 0xC0 != 0x80 }
        return length >= minLength ?? 0 && length <= maxLength ?? .max
    }
}

extension ArrayRules {
    func acceptsCount(_ count: Int) -> Bool {
        count >= minItems ?? 0 && count <= maxItems ?? .max
    }

    /// Returns the first element that equals an earlier one, and the earlier one.
    static func firstDuplicate(among elements: [JSON]) -> (earlier: Int, later: Int)? {
        guard elements.count > 8 else {
            for later in elements.indices {
                for earlier in 0..<later where elements[earlier] == elements[later] { return (earlier, later) }
            }
            return nil
        }
        var positions: [JSON: Int] = [:]
        for (later, element) in elements.enumerated() {
            if let earlier = positions.updateValue(later, forKey: element) { return (earlier, later) }
        }
        return nil
    }
}

extension ObjectRules {
    func acceptsCount(_ count: Int) -> Bool {
        count >= minProperties ?? 0 && count <= maxProperties ?? .max
    }
}
