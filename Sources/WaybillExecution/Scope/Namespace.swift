import WaybillData
import WaybillTransport

/// Names with values or further namespaces behind them, made of closures.
struct Namespace: ScopeNamespace {
    let memberNames: [String]
    private let lookUp: @Sendable (String) -> ScopeNode?

    /// The members by name, from a function.
    init(_ names: [String], _ lookUp: @escaping @Sendable (String) -> ScopeNode?) {
        self.memberNames = names
        self.lookUp = lookUp
    }

    /// The members of an object.
    init(_ object: JSONObject) {
        self.init(object.names) { name in object[name].map { .value(ScopeValue($0)) } }
    }

    func member(_ name: String) -> ScopeNode? { lookUp(name) }
}

/// Header fields as expressions see them: names without regard to case, several fields of one name joined by a comma.
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
