/// The fields of a header, in order. A name may occur several times.
public struct ManifestHeaderFields: Sendable {
    private var fields: [Element]

    /// Fields with names and values.
    public init(_ fields: [(name: String, value: String)]) {
        self.fields = fields
    }

    /// The value of the first field with a name, whatever the case of its letters; `nil` without such a field.
    public subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Adds a field at the end.
    public mutating func append(name: String, value: String) { fields.append((name, value)) }
}

extension ManifestHeaderFields: RandomAccessCollection {
    /// A field.
    public typealias Element = (name: String, value: String)
    /// The position of the first field.
    public var startIndex: Int { 0 }
    /// The position after the last field.
    public var endIndex: Int { fields.count }
    /// Returns the field at a position.
    public subscript(_ position: Int) -> Element { fields[position] }
}

extension ManifestHeaderFields: ExpressibleByDictionaryLiteral {
    /// Fields in the order of the literal.
    public init(dictionaryLiteral fields: (String, String)...) {
        self.init(fields.map { (name: $0.0, value: $0.1) })
    }
}

extension ManifestHeaderFields: Hashable {
    /// Whether both have the same fields in the same order.
    public static func == (one: ManifestHeaderFields, other: ManifestHeaderFields) -> Bool {
        one.elementsEqual(other, by: ==)
    }

    /// Hashes the fields in their order.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in fields {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}
