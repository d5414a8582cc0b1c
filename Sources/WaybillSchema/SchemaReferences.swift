import WaybillFormats
package import WaybillJSON

/// The addresses of other schemas that a schema document refers to, before anything is compiled.
package enum SchemaReferences {
    /// Keywords that hold any data, so that what looks like a reference in it is none.
    private static let dataKeywords: Set<String> = ["const", "enum", "default", "examples"]

    /// The address of a schema: its `$id`, resolved against a base, or else that base; without a fragment.
    package static func address(of schema: JSON, base: String) -> String {
        let base = URIReference(base).withoutFragment
        guard let id = schema["$id"]?.string else { return base.description }
        return URIReference(id).resolved(against: base).withoutFragment.description
    }

    /// The addresses that a document refers to outside itself, each once, in the order of their resolution: by `$ref`,
    /// `$dynamicRef` and `$schema`. The meta-schemas of draft 2020-12, which are always known, are not among them.
    ///
    /// - Parameter base: The address that the document is at.
    package static func external(in document: JSON, base: String) -> [String] {
        var defined: Set<String> = [URIReference(base).withoutFragment.description]
        var referred: [String] = []
        var open: [(value: JSON, base: String)] = [(document, base)]
        while let (value, outer) = open.popLast() {
            switch value {
            case .array(let elements):
                open += elements.map { ($0, outer) }
            case .object(let members):
                let base = address(of: value, base: outer)
                defined.insert(base)
                for keyword in ["$ref", "$dynamicRef"] {
                    guard let text = members[keyword]?.string else { continue }
                    let target = URIReference(text).resolved(against: URIReference(base)).withoutFragment
                    referred.append(target.description)
                }
                if let dialect = members["$schema"]?.string {
                    referred.append(URIReference(dialect).withoutFragment.description)
                }
                for (name, member) in members where !dataKeywords.contains(name) { open.append((member, base)) }
            default: break
            }
        }
        var seen = defined
        return referred.filter { seen.insert($0).inserted && !MetaSchemas.isKnown($0) }
    }

    /// The addresses that the `$id` of a document and of schemas inside it give.
    package static func identifiers(in document: JSON, base: String) -> Set<String> {
        var identifiers: Set<String> = []
        var open: [(value: JSON, base: String)] = [(document, base)]
        while let (value, outer) = open.popLast() {
            switch value {
            case .array(let elements): open += elements.map { ($0, outer) }
            case .object(let members):
                let base = address(of: value, base: outer)
                if members["$id"]?.string != nil { identifiers.insert(base) }
                for (name, member) in members where !dataKeywords.contains(name) { open.append((member, base)) }
            default: break
            }
        }
        return identifiers
    }
}
