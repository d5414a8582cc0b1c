import CSchemas
import WaybillJSON

/// The meta-schemas of draft 2020-12, as published at <https://json-schema.org/draft/2020-12/schema>: the files of
/// `Sources/CSchemas/draft2020-12`.
enum MetaSchemas {
    /// The default dialect of schemas.
    static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// Whether a dialect has the vocabularies of draft 2020-12. Those of OpenAPI only add annotations.
    static func isStandard(dialect address: String) -> Bool {
        address == dialect || address.utf8.starts(with: "https://spec.openapis.org/oas/3.".utf8)
    }

    /// Returns the meta-schema at an address.
    static func document(at address: String) -> JSON? { documents[address] }

    /// Whether there is a meta-schema at an address.
    static func isKnown(_ address: String) -> Bool { documents[address] != nil }

    /// The meta-schemas by their `$id`. They are parsed only if a schema refers to another one.
    private static let documents: [String: JSON] = {
        let texts = embedded_meta_schemas()
        let documents = unsafe Array(UnsafeBufferPointer(start: texts.bytes, count: texts.size))
            .split(separator: 0)
            .compactMap { try? JSONParser().parse($0) }
        return Dictionary(documents.map { ($0["$id"]?.string ?? "", $0) }) { first, _ in first }
    }()
}
