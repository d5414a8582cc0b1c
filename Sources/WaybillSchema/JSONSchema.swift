import WaybillFormats
package import WaybillJSON

/// A compiled schema of JSON Schema draft 2020-12: checked, with its references resolved and its patterns prepared.
package struct JSONSchema: Sendable {
    /// The schema document.
    package let document: JSON
    /// The keywords without an effect, such as `then` without `if`, or a format that is not known. They are found only if
    /// formats are checked.
    package let ineffectiveKeywords: [JSONSchemaError]
    let program: SchemaProgram

    /// The schema that accepts every value.
    package static let anything: JSONSchema = {
        guard let schema = try? JSONSchema(compiling: true) else { preconditionFailure("'true' is not a schema") }
        return schema
    }()

    /// Compiles a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema document: an object or a boolean.
    ///   - baseURI: The base of relative references, if the schema has no absolute `$id`.
    ///   - registry: The schemas at other addresses that this one may refer to.
    ///   - assertsFormats: Whether `format` is checked. Otherwise it is an annotation only, as in the draft.
    ///   - dialect: The dialect of a document that does not name one.
    ///   - access: Whether it describes what is sent or what is received, for schemas of OpenAPI.
    /// - Throws: The first error in the schema itself, with its location.
    package init(
        compiling schema: JSON,
        baseURI: String = "",
        registry: JSONSchemaRegistry = .standard,
        assertsFormats: Bool = false,
        dialect: SchemaDialect = .draft2020,
        access: SchemaAccess? = nil
    ) throws(JSONSchemaError) {
        document = schema
        var compiler = SchemaCompiler(registry: registry, assertsFormats: assertsFormats, access: access)
        program = try compiler.compile(schema, baseURI: baseURI, dialect: dialect)
        ineffectiveKeywords = compiler.ineffectiveKeywords
    }

    /// Creates a built-in schema, and compiles each part of it when it is first applied: a small instance needs only a
    /// small part of a large schema.
    ///
    /// The schema is not checked; reaching an error in it terminates the program. It must refer only to locations in
    /// itself, and none of its subschemas may have an `$id` or an anchor.
    ///
    /// - Throws: An error in its root.
    package init(trusting schema: JSON) throws(JSONSchemaError) {
        document = schema
        var compiler = SchemaCompiler(registry: .standard, assertsFormats: false)
        program = try compiler.compileOnDemand(schema)
        ineffectiveKeywords = []
    }

    /// Whether every instance is valid, because no keyword of the schema restricts it.
    package var acceptsEverything: Bool { (program.nodes.first ?? nil)?.acceptsEverything ?? false }

    /// Whether null, booleans, numbers and strings are all valid, as for a schema that has `properties` but no `type`.
    package var acceptsScalars: Bool {
        let scalars: [JSON] = [.null, false, 0, ""]
        return scalars.allSatisfy(isValid)
    }

    /// Whether an instance is valid. This is faster than `validate(_:)`, but does not return why an instance is invalid.
    package func isValid(_ instance: JSON) -> Bool {
        var evaluator = SchemaEvaluator(program, instance.bytesAsBase64)
        return evaluator.acceptsRoot()
    }

    /// Returns all violations in an instance, in the order of the instance; empty if it is valid.
    ///
    /// Each violation is reported once, at its cause: if alternatives fail, only the one that was meant is reported.
    ///
    /// Bytes in it are treated as strings in Base64, as in every document in which they are written.
    ///
    /// - Parameter limit: The number of violations, at least one, after which validation stops.
    package func validate(_ instance: JSON, limit: Int = .max) -> [SchemaViolation] {
        let instance = instance.bytesAsBase64
        var evaluator = SchemaEvaluator(program, instance)
        guard !evaluator.acceptsRoot() else { return [] }
        evaluator = SchemaEvaluator(program, instance)
        return evaluator.violations(limit: max(limit, 1))
    }
}

/// The reason why a schema cannot be compiled.
package struct JSONSchemaError: Error, Equatable {
    /// The error message, for people.
    package let message: String
    /// The location in the schema document.
    package let location: JSONPointer
    /// The address of that document; empty for a schema without one.
    package let document: String

    init(_ message: String, at location: JSONPointer, in document: String) {
        self.message = message
        self.location = location
        self.document = document
    }
}

extension JSONSchemaError: CustomStringConvertible {
    /// The address of the document, `#`, the pointer to the location, and the message.
    package var description: String { "\(document)#\(location): \(message)" }
}

/// The schemas that others can refer to by address. Nothing is ever fetched: unregistered schemas are unknown.
package struct JSONSchemaRegistry: Sendable {
    /// The registry of only the meta-schemas of draft 2020-12, which every registry contains.
    package static let standard = JSONSchemaRegistry()

    private(set) var registered: [(uri: String, document: JSON)] = []

    /// Creates a registry of only the meta-schemas of draft 2020-12.
    package init() {}

    /// Registers a schema at an absolute URI, ignoring a fragment. A later schema at the same URI replaces it.
    package mutating func register(_ schema: JSON, at uri: String) {
        let address = URIReference(uri).withoutFragment.description
        registered.removeAll { $0.uri.hasSameCodePoints(as: address) }
        registered.append((address, schema))
    }

    /// The document at an address.
    subscript(address: String) -> JSON? {
        registered.first { $0.uri.hasSameCodePoints(as: address) }?.document ?? MetaSchemas.document(at: address)
    }
}
