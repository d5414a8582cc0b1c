/// The vocabularies of draft 2020-12 that a schema uses.
struct SchemaVocabularies: OptionSet, Sendable {
    let rawValue: Int

    static let core = SchemaVocabularies(rawValue: 1)
    static let applicator = SchemaVocabularies(rawValue: 2)
    static let unevaluated = SchemaVocabularies(rawValue: 4)
    static let validation = SchemaVocabularies(rawValue: 8)
    static let metaData = SchemaVocabularies(rawValue: 16)
    static let formatAnnotation = SchemaVocabularies(rawValue: 32)
    static let formatAssertion = SchemaVocabularies(rawValue: 64)
    static let content = SchemaVocabularies(rawValue: 128)

    /// The vocabularies of draft 2020-12's meta-schema.
    static let standard: SchemaVocabularies = [
        .core, .applicator, .unevaluated, .validation, .metaData, .formatAnnotation, .content,
    ]

    /// Creates the vocabulary of a URI.
    init?(uri: String) {
        let prefix = "https://json-schema.org/draft/2020-12/vocab/"
        guard uri.hasPrefix(prefix), let known = Self.byName[String(uri.dropFirst(prefix.count))] else { return nil }
        self = known
    }

    init(rawValue: Int) {
        self.rawValue = rawValue
    }

    private static let byName: [String: SchemaVocabularies] = [
        "core": .core, "applicator": .applicator, "unevaluated": .unevaluated, "validation": .validation,
        "meta-data": .metaData, "format-annotation": .formatAnnotation, "format-assertion": .formatAssertion,
        "content": .content,
    ]
}
