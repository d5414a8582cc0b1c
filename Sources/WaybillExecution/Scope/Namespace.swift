import WaybillExpressions
import WaybillJSON
import WaybillTransport

/// A namespace that consists of functions: a member is computed when it is used, and the list of names only for a
/// message, or when the whole namespace is used as one value.
struct Namespace: ScopeNamespace {
    private let names: @Sendable () -> [String]
    private let lookUp: @Sendable (String) -> ScopeNode?

    /// A namespace of the members that the functions return.
    init(_ names: @autoclosure @escaping @Sendable () -> [String], _ lookUp: @escaping @Sendable (String) -> ScopeNode?)
    {
        self.names = names
        self.lookUp = lookUp
    }

    /// A namespace of the members of an object.
    init(_ object: JSONObject) {
        self.init(object.names) { name in object[name].map { .value(ScopeValue($0)) } }
    }

    var memberNames: [String] { names() }

    func member(_ name: String) -> ScopeNode? { lookUp(name) }
}

/// Values by name.
struct ValueNamespace: ScopeNamespace {
    let values: [String: ScopeValue]

    var memberNames: [String] { values.keys.sorted() }

    func member(_ name: String) -> ScopeNode? { values[name].map { .value($0) } }
}

/// Header fields as expressions see them: names are case-insensitive, and several fields with one name are joined by
/// commas.
struct HeaderNamespace: ScopeNamespace {
    let fields: HTTPFields

    var memberNames: [String] {
        var names: [String] = []
        for field in fields where !names.contains(field.name.lowercased()) { names.append(field.name.lowercased()) }
        return names
    }

    func member(_ name: String) -> ScopeNode? {
        let values = fields.values(named: name)
        return values.isEmpty ? nil : .value(ScopeValue(.string(values.joined(separator: ", "))))
    }
}
