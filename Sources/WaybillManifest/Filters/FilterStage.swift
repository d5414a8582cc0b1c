package import WaybillDiagnostics
package import WaybillExpressions
import WaybillJSON

/// A stage of a filter, which checks or changes the data of a response.
///
/// Each stage is defined in one file of this folder; `FilterStages` lists them.
package protocol FilterStage: Sendable {
    /// The key that the stage is written with.
    static var key: String { get }
    /// The expression for the server's message in the body of a rejected response, if the stage has one.
    var serverMessage: ManifestExpression? { get }
    /// Whether the manifest has words of its own for the failures of the stage.
    var hasOwnWords: Bool { get }
    /// Whether a list is known to have as many elements after the stage as before.
    var keepsElements: Bool { get }

    /// Reads the stage from the value of its key; `nil` if it cannot be read, which is reported.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)
    /// Visits every use of the expression language in the stage.
    func visitUses(_ visitor: UseVisitor)
    /// Returns the data after the stage; throws if the stage rejects it.
    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue
}

extension FilterStage {
    /// The key that the stage is written with.
    package var key: String { Self.key }
    package var serverMessage: ManifestExpression? { nil }
    package var hasOwnWords: Bool { false }
    package var keepsElements: Bool { false }
    package func visitUses(_ visitor: UseVisitor) {}

    /// Returns the data after the stage; throws if the stage rejects it.
    ///
    /// - Parameters:
    ///   - scope: The scope of the level that the stage was written at; its `$` is replaced by the data.
    ///   - span: The location of the stage.
    package func apply(
        to data: ScopeValue,
        in scope: EvaluationScope,
        at span: SourceSpan
    ) throws(EvaluationFailure) -> ScopeValue {
        var scope = scope
        scope.current = data
        let result = try apply(to: FilterData(value: data, scope: scope, key: key, span: span))
        return try result.checked(in: scope, at: span)
    }
}

/// The filter stages.
package enum FilterStages {
    /// All stages.
    package static let all: [any FilterStage.Type] = [
        RequireStage.self, SelectStage.self, EnvelopeStage.self, MapStage.self, WhereStage.self, PickStage.self,
        OmitStage.self, RenameStage.self, SetStage.self, SortStage.self, UniqueStage.self, LimitStage.self,
        FlattenStage.self, ZipStage.self, UnionStage.self, GroupStage.self, DecodeStage.self, SchemaStage.self,
        DefaultStage.self,
    ]

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// Reads a stage from a mapping with its key; `nil` if it cannot be read, which is reported.
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> (any FilterStage)? {
        guard let (key, value) = node.entries.first, let type = byKey[key.text ?? ""] else { return nil }
        return type.init(value, &decoder)
    }
}

/// An entry of a list of filters: a named filter or an inline stage.
package enum FilterEntry: Sendable {
    /// A filter by name, and whether it runs on every status, not only on 2xx.
    case named(Spanned<String>, onEveryStatus: Bool)
    /// An inline stage.
    case stage(any FilterStage)

    /// Visits every use of the expression language in the entry itself.
    package func visitUses(_ visitor: UseVisitor) {
        if case .stage(let stage) = self { stage.visitUses(visitor) }
    }
}

extension ManifestDecoder {
    /// Reads a list of filters.
    mutating func filters(_ node: YAMLNode, level: Level) -> [Setting<FilterEntry>] {
        (node.sequence ?? []).compactMap { node in
            filterEntry(node).map { Setting($0, at: node.span, level: level) }
        }
    }

    /// Reads a name, `{filter: NAME, for: any}`, or an inline stage.
    mutating func filterEntry(_ node: YAMLNode) -> FilterEntry? {
        if let name = text(node) { return .named(name, onEveryStatus: false) }
        if let filter = node["filter"] {
            return text(filter).map { .named($0, onEveryStatus: node["for"]?.text == "any") }
        }
        return FilterStages.read(node, &self).map(FilterEntry.stage)
    }
}

/// The data that a filter stage receives, and operations that several stages share.
package struct FilterData: Sendable {
    /// The data.
    let value: ScopeValue
    /// The scope of the expressions in the stage: `$` is the data.
    let scope: EvaluationScope
    /// The key of the stage.
    let key: String
    let span: SourceSpan

    /// Returns the failure for data that the stage rejects, located at the stage.
    func refusal(_ message: String) -> EvaluationFailure {
        EvaluationFailure(message: message, span: span)
    }

    // MARK: Lists

    /// Calls a function with each element of the data; throws if the data is not a list, or once `WorkLimit` is reached.
    func forEachElement(
        _ body: (JSON) throws(EvaluationFailure) -> Void
    ) throws(EvaluationFailure) {
        try forEach(in: try elements(), body)
    }

    /// Calls a function with each value of a list; throws once `WorkLimit` is reached. An error names the element.
    func forEach<Value>(
        in list: some Sequence<Value>,
        _ body: (Value) throws(EvaluationFailure) -> Void
    ) throws(EvaluationFailure) {
        var limit = WorkLimit.Check()
        for (index, value) in list.enumerated() {
            if limit.isReached(before: Self.unitsPerElement) { throw refusal(WorkLimit.message) }
            do throws(EvaluationFailure) {
                try body(value)
            } catch {
                guard let item = value as? JSON else { throw error }
                var error = error
                error.message = "item \(index): \(error.message)"
                error.item = self.value.isSecret ? nil : item
                throw error
            }
        }
    }

    /// The work for an element, in the units of `WorkLimit.Check`.
    static let unitsPerElement = 64

    /// Returns the first elements of the data; throws if it is not a list.
    func prefix(_ count: Int) throws(EvaluationFailure) -> ScopeValue {
        list(try elements().prefix(count))
    }

    // Stages use `forEachElement`, which stops at the limit.
    private func elements() throws(EvaluationFailure) -> [JSON] {
        if let elements = value.json.array { return elements }
        throw refusal("'\(key)' requires a list, but the data is \(value.json.kind.phrase)")
    }

    /// Returns the scope in which a part of the data is `item`.
    func scope(of item: JSON) -> EvaluationScope {
        var scope = scope
        scope.item = ScopeValue(item, isSecret: value.isSecret)
        return scope
    }

    /// Returns the value by which an element is compared: that of an expression, or the element itself.
    func comparedValue(of element: JSON, by key: ManifestExpression?) throws(EvaluationFailure) -> JSON {
        guard let key else { return element }
        return try key.value(in: scope(of: element)).json
    }

    /// Returns a list of elements of the data, which is secret if the data is.
    func list(_ elements: some Sequence<JSON>) -> ScopeValue {
        ScopeValue(.array(Array(elements)), isSecret: value.isSecret)
    }

    /// Returns the elements of the list that an expression evaluates to, and whether they are secret.
    func list(of expression: ManifestExpression) throws(EvaluationFailure) -> (elements: [JSON], isSecret: Bool) {
        let list = try expression.value(in: scope)
        if let elements = list.json.array { return (elements, list.isSecret) }
        throw EvaluationFailure(
            message: "'\(key)' requires lists, found \(list.json.kind.phrase)",
            span: expression.span
        )
    }

    /// A list to which a stage adds elements.
    var newList: GrowingList { GrowingList(at: span) }

    // MARK: Objects

    /// Returns the data with a change applied to it, if it is an object, or to each element, if it is a list of
    /// objects.
    func changingObjects(
        _ change: (JSONObject) throws(EvaluationFailure) -> JSONObject
    ) throws(EvaluationFailure) -> ScopeValue {
        guard let elements = value.json.array else {
            return ScopeValue(.object(try change(try object(value.json))), isSecret: value.isSecret)
        }
        var objects = newList
        try forEach(in: elements) { (element) throws(EvaluationFailure) in
            try objects.append(.object(try change(try object(element))))
        }
        return list(objects.elements)
    }

    private func object(_ value: JSON) throws(EvaluationFailure) -> JSONObject {
        if let object = value.object { return object }
        throw refusal("'\(key)' requires an object or a list of objects, found \(value.kind.phrase)")
    }

    // MARK: Optional values

    /// Returns the value of an expression; `nil` if it is null or cannot be evaluated.
    func valueIfAny(of expression: ManifestExpression?) -> JSON? {
        guard let value = try? expression?.value(in: scope).json, value != .null else { return nil }
        return value
    }
}

/// A list that a stage makes. It fails before it takes too much memory.
struct GrowingList {
    /// The elements so far.
    private(set) var elements: [JSON] = []
    private var size = JSONSize()
    private let span: SourceSpan

    /// An empty list, which a stage at a location makes.
    init(at span: SourceSpan) {
        self.span = span
    }

    /// Appends an element; throws if the list becomes too large.
    mutating func append(_ element: JSON) throws(EvaluationFailure) {
        try size.add(element, at: span)
        elements.append(element)
    }
}
