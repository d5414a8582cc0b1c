/// Header fields in their original order, with lookup by name.
package struct HTTPFields: Sendable, Hashable {
    /// The fields in their original order.
    package let list: [HTTPField]

    /// Creates a collection of the given fields, in their order.
    package init(_ fields: [HTTPField] = []) {
        list = fields
    }

    /// The value of the first field with this name, without regard to case; nil when there is none.
    package func first(named name: String) -> String? {
        list.first { $0.isNamed(name) }?.value
    }

    /// The values of all fields with this name, without regard to case, in order.
    package func values(named name: String) -> [String] {
        list.filter { $0.isNamed(name) }.map(\.value)
    }
}

extension HTTPFields: RandomAccessCollection {
    package var startIndex: Int { list.startIndex }
    package var endIndex: Int { list.endIndex }
    package subscript(position: Int) -> HTTPField { list[position] }
}

extension HTTPFields: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: HTTPField...) {
        self.init(elements)
    }
}

/// One header field (RFC 9110, section 5).
package struct HTTPField: Sendable, Hashable {
    /// The name as it was written; names match without regard to case.
    package let name: String
    /// The value, without the white space around it. Bytes of a response that are not UTF-8 are U+FFFD.
    package let value: String
    /// Whether the value contains a secret. A redirect must not send such a field to another origin.
    package let isSensitive: Bool

    /// Creates a field. Invalid names and values are rejected when the request is sent.
    package init(name: String, value: String, isSensitive: Bool = false) {
        self.name = name
        self.value = value
        self.isSensitive = isSensitive
    }

    /// Whether the field has this name, without regard to the case of ASCII letters.
    package func isNamed(_ other: String) -> Bool {
        guard name.utf8.count == other.utf8.count else { return false }
        return name == other
            || zip(name.utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    fileprivate var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
