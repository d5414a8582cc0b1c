import WaybillJSON

/// The meta-schemas of draft 2020-12, as published at <https://json-schema.org/draft/2020-12/schema>.
///
/// They are parsed only if a schema refers to one.
enum MetaSchemas {
    /// The default dialect of schemas.
    static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// Returns the meta-schema at an address.
    static func document(at address: String) -> JSON? {
        let prefix = "https://json-schema.org/draft/2020-12/"
        guard address.hasPrefix(prefix), let text = texts[String(address.dropFirst(prefix.count))] else { return nil }
        return try? JSONParser().parse(Array(text.utf8))
    }

    /// Whether there is a meta-schema at an address.
    static func isKnown(_ address: String) -> Bool {
        let prefix = "https://json-schema.org/draft/2020-12/"
        return address.hasPrefix(prefix) && texts[String(address.dropFirst(prefix.count))] != nil
    }

    /// The paths of all meta-schemas below the draft's address.
    static var paths: [String] { texts.keys.sorted() }

    private static let texts: [String: String] = [
        "schema": schema,
        "meta/core": core,
        "meta/applicator": applicator,
        "meta/unevaluated": unevaluated,
        "meta/validation": validation,
        "meta/meta-data": metaData,
        "meta/format-annotation": formatAnnotation,
        "meta/format-assertion": formatAssertion,
        "meta/content": content,
    ]
}
