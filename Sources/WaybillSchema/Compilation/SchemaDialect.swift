package import WaybillJSON

/// How the keywords of a document's schemas are read.
package enum SchemaDialect: Sendable {
    /// JSON Schema, draft 2020-12, which OpenAPI 3.1 and 3.2 use too.
    case draft2020
    /// The schema objects of OpenAPI 3.0 (OpenAPI 3.0.4, section 4.7.24).
    case openAPI30

    /// Finds the dialect of a document.
    ///
    /// - Parameter outer: The dialect of the document that refers to it. A file that says nothing itself is a part of
    ///   that document.
    package init(of document: JSON, referredToFrom outer: SchemaDialect = .draft2020) {
        if let version = document["openapi"]?.string {
            self = version.utf8.starts(with: "3.0".utf8) ? .openAPI30 : .draft2020
        } else {
            self = document["$schema"] == nil ? outer : .draft2020
        }
    }

    /// Returns the keywords of a schema in draft 2020-12. Its subschemas stay in the dialect.
    func keywords(of schema: JSONObject) -> JSONObject {
        guard self == .openAPI30 else { return schema }
        // What is beside a reference is ignored.
        if let reference = schema["$ref"] { return JSONObject([("$ref", reference)]) }
        var keywords = schema
        for (limit, isExclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            guard let flag = schema[isExclusive]?.bool else { continue }
            keywords[isExclusive] = flag ? schema[limit] : nil
            if flag { keywords[limit] = nil }
        }
        // Without a type, null is allowed anyway; a list of values must contain it.
        if schema["nullable"] == true, let type = schema["type"] { keywords["type"] = [type, "null"] }
        return keywords
    }
}

/// Whether a schema of an OpenAPI document describes what is sent or what is received. Some properties occur in one of them
/// only, even if they are required (OpenAPI 3.1.1, section 4.8.24).
package enum SchemaAccess: Sendable {
    case sending, receiving

    /// The keyword of the properties that do not occur.
    package var hiddenProperties: String {
        switch self {
        case .sending: "readOnly"
        case .receiving: "writeOnly"
        }
    }
}
