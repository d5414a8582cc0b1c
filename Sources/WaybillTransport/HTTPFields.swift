/// Header fields in the order in which they came, found by name.
package struct HTTPFields: Sendable, Hashable {
    /// The fields as they came.
    package let list: [HTTPField]

    /// The fields of a list, in its order.
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
