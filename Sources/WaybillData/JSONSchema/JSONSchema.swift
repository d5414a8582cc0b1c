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

    /// Whether an instance is valid. This is faster than `validate(_:)` and says nothing else.
    package func isValid(_ instance: JSON) -> Bool {
        var evaluator = SchemaEvaluator(program, instance, of: JSONInstances())
        return evaluator.acceptsRoot()
    }

    /// Whether a value of a tree is valid; nothing of it is made into `JSON` for that.
    package func isValid(_ value: ValueTree.Index, in tree: ValueTree) -> Bool {
        var evaluator = SchemaEvaluator(program, TreeInstances.Value(index: value), of: TreeInstances(tree: tree))
        return evaluator.acceptsRoot()
    }

    /// Everything that is wrong with an instance, in the order of the instance; empty when it is valid.
    ///
    /// Each fault is told once, at its cause: where alternatives fail, only the one that was meant is reported.
    ///
    /// - Parameter limit: After this many faults, at least one, the rest is not looked at.
    package func validate(_ instance: JSON, limit: Int = .max) -> [SchemaViolation] {
        isValid(instance) ? [] : violations(of: instance, limit: limit)
    }

    /// Everything that is wrong with an instance that `isValid` has refused.
    package func violations(of instance: JSON, limit: Int = .max) -> [SchemaViolation] {
        var collector = ViolationCollector(program, instance, limit: max(limit, 1))
        return collector.findings()
    }
}
