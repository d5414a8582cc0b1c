package import WaybillFormats
package import WaybillJSON

/// A query in the strict syntax of RFC 9535: `$.store.book[?@.price < 10].title`.
///
/// The same code compiles and evaluates it as an `Expression`.
package struct JSONPath: Sendable {
    /// The query as it was written.
    package let text: String
    private let query: CompiledQuery

    /// Parses a query and checks that it is well-typed (RFC 9535, section 2.4.3).
    package init(parsing text: String) throws(ExpressionSyntaxError) {
        let bytes = Array(text.utf8)[...]
        let syntax = try ExpressionParser.strictQuery(bytes)
        try WellTypedness.check(syntax)
        var compiler = ExpressionCompiler(bytes, dialect: .strict)
        self.query = try compiler.compiled(syntax)
        self.text = text
    }

    /// Whether the query selects the document itself.
    package var isRoot: Bool { query.path.segments.isEmpty }

    /// Returns the values of all nodes that the query selects in a document, in order.
    ///
    /// - Throws: An error only if the work or the result exceeds its limit.
    package func values(in document: JSON) throws(EvaluationError) -> [JSON] {
        try select(nil, in: document).map(\.value)
    }

    /// Returns all nodes that the query selects in a document, in order, each with its location.
    ///
    /// - Throws: An error only if the work or the result exceeds its limit.
    package func nodes(in document: JSON) throws(EvaluationError) -> [(location: JSONPointer, value: JSON)] {
        try select(JSONPointer(), in: document).compactMap { node in node.location.map { ($0, node.value) } }
    }

    /// - Parameter location: The location of the document, if those of its nodes are wanted.
    private func select(_ location: JSONPointer?, in document: JSON) throws(EvaluationError) -> [Node] {
        let scope = EvaluationScope(
            root: DictionaryNamespace(),
            current: ScopeValue(document),
            environment: NoEnvironment()
        )
        var evaluator = Evaluator(scope)
        return try evaluator.nodes(
            query.path.segments[...],
            from: Node(value: document, location: location),
            query.range
        )
    }
}

extension JSONPath: Equatable {
    /// Whether two queries have the same text.
    package static func == (left: JSONPath, right: JSONPath) -> Bool {
        left.text.hasSameCodePoints(as: right.text)
    }
}

/// The environment of an expression without functions that use it, such as a strict RFC 9535 query.
package struct NoEnvironment: EvaluationEnvironment {
    package init() {}
    package func now() -> Timestamp { Timestamp(nanoseconds: 0) }
    package func uuid() -> String { "00000000-0000-0000-0000-000000000000" }
    package func contents(ofFile path: String) throws(EvaluationError) -> [UInt8] {
        throw EvaluationError(.value, "is not accessible")
    }
}
