package import WaybillFormats
package import WaybillJSON

/// A value, and what must be known about its origin.
package struct ScopeValue: Sendable, Equatable {
    /// The value itself.
    package var json: JSON
    /// Whether the value was computed from a secret, and so must not be shown or written.
    package var isSecret: Bool
    /// Whether the value was marked with `raw()`: a path that it is inserted into keeps its slashes.
    package var isRaw: Bool
    /// What the value is, if it is the content of a response that has no members and elements.
    package var content: FlatContent?

    /// Creates a value, which is neither secret nor raw by default.
    package init(_ json: JSON, isSecret: Bool = false, isRaw: Bool = false) {
        self.json = json
        self.isSecret = isSecret
        self.isRaw = isRaw
    }
}

/// The content of a response that is text or bytes, or that is missing.
package enum FlatContent: Sendable, Equatable {
    /// The manifest did not choose the decoding: it may be anything, such as a page with an error.
    case undeclared
    /// The manifest chose the decoding.
    case declared
}

/// What a name refers to.
package enum ScopeNode: Sendable {
    case value(ScopeValue)
    /// More names.
    case namespace(any ScopeNamespace)
    /// Something that cannot be used, for a reason to report, such as “step 'login' was skipped”.
    case unavailable(reason: String)
}

/// A set of names in the scope, such as `steps` or `steps.login`.
///
/// Each namespace decides how names are compared: the one for headers ignores case.
package protocol ScopeNamespace: Sendable {
    /// Returns what a name refers to, or `nil` if the name does not exist.
    func member(_ name: String) -> ScopeNode?
    /// All names, for suggestions and for paths that select all members.
    var memberNames: [String] { get }
    /// The namespace as one value, for a path that ends at it.
    var materialized: ScopeValue { get }
}

extension ScopeNamespace {
    /// An object of all members that have a value; secret if any of them is secret.
    package var materialized: ScopeValue {
        var object = JSONObject()
        var isSecret = false
        for name in memberNames {
            switch member(name) {
            case .value(let value):
                object[name] = value.json
                isSecret = isSecret || value.isSecret
            case .namespace(let namespace):
                let value = namespace.materialized
                object[name] = value.json
                isSecret = isSecret || value.isSecret
            case .unavailable, nil: break
            }
        }
        return ScopeValue(.object(object), isSecret: isSecret)
    }
}

/// A namespace backed by a dictionary.
package struct DictionaryNamespace: ScopeNamespace {
    /// The members by name.
    package var members: [String: ScopeNode]

    /// Creates a namespace with these members.
    package init(_ members: [String: ScopeNode] = [:]) {
        self.members = members
    }

    package func member(_ name: String) -> ScopeNode? { members[name] }
    package var memberNames: [String] { members.keys.sorted() }
}

/// The environment of expressions. It is injected, so that it stays constant during a step.
package protocol EvaluationEnvironment: Sendable {
    /// Returns the result of `now()`.
    func now() -> Timestamp
    /// Returns the result of `uuid()`.
    func uuid() -> String
    /// Returns the content of a file, for `file(path)` and `bytes(path)`. The message of an error follows the file's
    /// name: `does not exist`.
    func contents(ofFile path: String) throws(EvaluationError) -> [UInt8]
    /// Returns why an evaluation must stop, or `nil`. It is called after some thousand steps, and after each evaluation
    /// that took more than a few, with the number of steps since the last call, which is 0 within a function.
    func reasonToStop(after steps: Int) -> String?
    /// Receives each value that a function computed from a secret, so that it is redacted wherever it is inserted and
    /// wherever a server repeats it. Returns why it cannot be redacted and must not be used, or `nil`.
    func register(secret value: JSON) -> String?
    /// The namespaces to which the prefixes in expressions of XPath are bound.
    var namespaces: [String: String] { get }
    /// Returns the parsed document of a string. The environment may keep it, because the next expressions usually read the
    /// same one.
    func document(parsing text: String) throws(XMLDocument.SyntaxError) -> XMLDocument
    /// Returns what a filter of the manifest makes of a value, for `apply(filter, value)`.
    func result(ofFilter name: String, on value: JSON) throws(EvaluationError) -> JSON
    /// Receives the size of each value that a filter, a variable or an output has, in bytes of memory.
    func note(bytes: Int)
    /// Returns what stands for the value of an expression that is not evaluated; `nil` for one that is.
    func placeholder(for expression: Expression, in scope: EvaluationScope) -> ScopeValue?
}

extension EvaluationEnvironment {
    /// Stops evaluations once `WorkLimit` is reached.
    package func reasonToStop(after steps: Int) -> String? { WorkLimit.isReached ? "the evaluation was stopped" : nil }

    /// Accepts the value, where nothing is written.
    package func register(secret value: JSON) -> String? { nil }

    /// Evaluates every expression.
    package func placeholder(for expression: Expression, in scope: EvaluationScope) -> ScopeValue? { nil }

    /// No prefixes, where no manifest binds them.
    package var namespaces: [String: String] { [:] }

    /// Parses the string each time.
    package func document(parsing text: String) throws(XMLDocument.SyntaxError) -> XMLDocument {
        try XMLDocument(parsing: text)
    }

    /// Fails, where no manifest defines filters.
    package func result(ofFilter name: String, on value: JSON) throws(EvaluationError) -> JSON {
        throw EvaluationError(.value, "there are no filters here")
    }

    /// Does nothing, where only one value is in memory.
    package func note(bytes: Int) {}
}

/// Everything that an expression can access.
package struct EvaluationScope: Sendable {
    /// The bare names.
    package var root: any ScopeNamespace
    /// `$`, the current value, if there is one.
    package var current: ScopeValue?
    /// `item`, the element of a list stage, if there is one. It takes precedence over a bare name `item`.
    package var item: ScopeValue?
    /// The clock, identifiers and files.
    package var environment: any EvaluationEnvironment

    package init(
        root: any ScopeNamespace,
        current: ScopeValue? = nil,
        item: ScopeValue? = nil,
        environment: any EvaluationEnvironment
    ) {
        self.root = root
        self.current = current
        self.item = item
        self.environment = environment
    }
}
