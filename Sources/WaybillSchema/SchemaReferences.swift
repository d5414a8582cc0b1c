import WaybillFormats
package import WaybillJSON

/// Finds the addresses of other schemas that a schema document refers to, before anything is compiled.
package enum SchemaReferences {
    /// Keywords whose value is arbitrary data, in which nothing is a reference.
    private static let dataKeywords: Set<String> = ["const", "enum", "default", "examples"]

    /// Returns the address of a schema without a fragment: its `$id`, resolved against a base, or the base itself.
    package static func address(of schema: JSON, base: String) -> String {
        let base = URIReference(base).withoutFragment
        guard let id = schema["$id"]?.string else { return base.description }
        return URIReference(id).resolved(against: base).withoutFragment.description
    }

    /// Returns the addresses outside a document that it refers to by `$ref`, `$dynamicRef` and `$schema`, each once, in
    /// the order of their resolution. The meta-schemas of draft 2020-12, which are always known, are left out.
    ///
    /// - Parameter base: The address of the document.
    package static func external(in document: JSON, base: String) -> [String] {
        var defined: Set<String> = [URIReference(base).withoutFragment.description]
        var referred: [String] = []
        for (members, base) in objects(in: document, base: base) {
            defined.insert(base)
            for keyword in ["$ref", "$dynamicRef"] {
                guard let text = members[keyword]?.string else { continue }
                let target = URIReference(text).resolved(against: URIReference(base)).withoutFragment
                referred.append(target.description)
            }
            if let dialect = members["$schema"]?.string {
                referred.append(URIReference(dialect).withoutFragment.description)
            }
        }
        var seen = defined
        return referred.filter { seen.insert($0).inserted && !MetaSchemas.isKnown($0) }
    }

    /// Returns the references by `$ref` in a value, in an undefined order.
    package static func references(in value: JSON) -> [String] {
        objects(in: value, base: "").compactMap { $0.members["$ref"]?.string }
    }

    /// Returns the addresses defined by the `$id` of a document and of schemas inside it.
    package static func identifiers(in document: JSON, base: String) -> Set<String> {
        Set(objects(in: document, base: base).filter { $0.members["$id"]?.string != nil }.map(\.base))
    }

    /// Returns the objects of a document outside arbitrary data, each with the address that applies in it.
    private static func objects(in document: JSON, base: String) -> [(members: JSONObject, base: String)] {
        var found: [(members: JSONObject, base: String)] = []
        var open: [(value: JSON, base: String)] = [(document, base)]
        while let (value, outer) = open.popLast() {
            switch value {
            case .array(let elements): open += elements.map { ($0, outer) }
            case .object(let members):
                let base = address(of: value, base: outer)
                found.append((members, base))
                for (name, member) in members where !dataKeywords.contains(name) { open.append((member, base)) }
            default: break
            }
        }
        return found
    }
}
