import WaybillFormats
package import WaybillJSON

/// A schema of JSON Schema draft 2020-12, compiled: checked, with its references resolved and its patterns prepared.
package struct JSONSchema: Sendable {
    /// The schema as it was given.
    package let document: JSON
    let program: SchemaProgram

    /// Compiles a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema document: an object or a boolean.
    ///   - baseURI: The address that relative references start from, where the schema has no absolute `$id`.
    ///   - registry: The schemas at other addresses that this one may refer to.
    ///   - assertsFormats: Whether `format` is checked; otherwise it only annotates, as the draft has it.
    /// - Throws: The first fault of the schema itself, with its place.
    package init(
        compiling schema: JSON,
        baseURI: String = "",
        registry: JSONSchemaRegistry = .standard,
        assertsFormats: Bool = false
    ) throws(JSONSchemaError) {
        document = schema
        var compiler = SchemaCompiler(registry: registry, assertsFormats: assertsFormats)
        program = try compiler.compile(schema, baseURI: baseURI)
    }

    /// Takes a schema that belongs to the program, and compiles each part of it when something is first held against that:
    /// a small instance needs a small part of a large schema.
    ///
    /// Nothing checks the schema; a fault in it ends the program when it is come upon. It refers to places in itself alone,
    /// and none of its subschemas has an `$id` or an anchor.
    ///
    /// - Throws: A fault of its root.
    package init(trusting schema: JSON) throws(JSONSchemaError) {
        document = schema
        var compiler = SchemaCompiler(registry: .standard, assertsFormats: false)
        program = try compiler.compileOnDemand(schema)
    }

    /// Whether an instance is valid. This is faster than `validate(_:)` and says nothing else.
    package func isValid(_ instance: JSON) -> Bool { accepts(instance.bytesAsBase64) }

    private func accepts(_ instance: JSON) -> Bool {
        var evaluator = SchemaEvaluator(program, instance, of: JSONInstances())
        return evaluator.acceptsRoot()
    }

    /// Everything that is wrong with a value of a tree, in whose objects all names are texts that occur once.
    ///
    /// Members that are in order, up to the first that is not, are not looked at a second time, nor made into `JSON`.
    package func validate(
        _ value: ValueTree.Index,
        in tree: ValueTree,
        limit: Int
    ) -> [SchemaViolation] {
        var evaluator = SchemaEvaluator(program, TreeInstances.Value(index: value), of: TreeInstances(tree: tree))
        guard !evaluator.acceptsRoot() else { return [] }
        let first = program.node(0)
        let looksOnlyAtMembers =
            first.applicators.isEmpty && first.unevaluatedProperties == nil
            && first.object?.dependentSchemas.isEmpty ?? true
        let accepted = looksOnlyAtMembers && !evaluator.isExhausted ? evaluator.acceptedMembers : 0
        let instance = tree.json(of: value, leavingOut: accepted)
        var collector = ViolationCollector(program, instance, accepting: accepted, limit: max(limit, 1))
        return collector.findings()
    }

    /// Everything that is wrong with an instance, in the order of the instance; empty when it is valid.
    ///
    /// Each fault is told once, at its cause: where alternatives fail, only the one that was meant is reported.
    ///
    /// Bytes in it are strings in Base64, as in every document that is written of them.
    ///
    /// - Parameter limit: After this many faults, at least one, the rest is not looked at.
    package func validate(_ instance: JSON, limit: Int = .max) -> [SchemaViolation] {
        let instance = instance.bytesAsBase64
        guard !accepts(instance) else { return [] }
        var collector = ViolationCollector(program, instance, limit: max(limit, 1))
        return collector.findings()
    }
}

/// Why a schema cannot be compiled.
package struct JSONSchemaError: Error, Equatable {
    /// What is wrong, for people.
    package let message: String
    /// The place in the schema document.
    package let location: JSONPointer
    /// The address of the document that the place is in; empty for a schema without one.
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
