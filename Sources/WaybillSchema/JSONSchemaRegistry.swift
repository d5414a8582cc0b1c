import WaybillFormats
package import WaybillJSON

/// The schemas that others may refer to by address. Nothing is ever fetched: what is not registered is not known.
package struct JSONSchemaRegistry: Sendable {
    /// The registry with nothing but the meta-schemas of draft 2020-12, which every registry has.
    package static let standard = JSONSchemaRegistry()

    private(set) var registered: [(uri: String, document: JSON)] = []

    /// A registry with nothing but the meta-schemas of draft 2020-12.
    package init() {}

    /// Makes a schema known at an absolute URI; a fragment is left aside. A later schema at the same URI takes its place.
    package mutating func register(_ schema: JSON, at uri: String) {
        let address = URIReference(uri).withoutFragment.description
        registered.removeAll { $0.uri == address }
        registered.append((address, schema))
    }

    /// The document of an address.
    subscript(address: String) -> JSON? {
        registered.first { $0.uri == address }?.document ?? MetaSchemas.document(at: address)
    }
}
