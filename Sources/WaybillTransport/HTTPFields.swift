/// Header fields in the order in which they came, found by name.
package struct HTTPFields: Sendable, Hashable {
    private let fields: [HTTPField]

    /// The fields of a list, in its order.
    package init(_ fields: [HTTPField] = []) {
        self.fields = fields
    }

    /// The value of the first field with this name, without regard to case; nil when there is none.
    package func first(named name: String) -> String? {
        fields.first { $0.isNamed(name) }?.value
    }

    /// The values of all fields with this name, without regard to case, in order.
    package func values(named name: String) -> [String] {
        fields.filter { $0.isNamed(name) }.map(\.value)
    }
}

extension HTTPFields: RandomAccessCollection {
    package var startIndex: Int { fields.startIndex }
    package var endIndex: Int { fields.endIndex }
    package subscript(position: Int) -> HTTPField { fields[position] }
}

extension HTTPFields: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: HTTPField...) {
        self.init(elements)
    }
}
