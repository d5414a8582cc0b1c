package import WaybillFormats
package import WaybillJSON

/// A value together with what has to be known of where it came from.
package struct ScopeValue: Sendable, Equatable {
    /// The value itself.
    package var json: JSON
    /// Whether a secret went into it, so that it must not be shown or written.
    package var isSecret: Bool
    /// Whether it was marked with `raw()`: put into a path, it keeps its slashes.
    package var isRaw: Bool

    /// A value; neither secret nor raw unless said so.
    package init(_ json: JSON, isSecret: Bool = false, isRaw: Bool = false) {
        self.json = json
        self.isSecret = isSecret
        self.isRaw = isRaw
    }
}

/// What a name stands for.
package enum ScopeNode: Sendable {
    /// A value.
    case value(ScopeValue)
    /// More names.
    case namespace(any ScopeNamespace)
    /// Nothing that could be used, for a reason to be told, as in “step 'login' was skipped”.
    case unavailable(reason: String)
}

/// Names of the scope and what they stand for; `steps` and `steps.login` are such.
///
/// A namespace decides how names are compared: one of headers ignores case.
package protocol ScopeNamespace: Sendable {
    /// What a name stands for, or `nil` if there is no such name.
    func member(_ name: String) -> ScopeNode?
    /// The names that exist, for suggestions and for paths that take all of them.
    var memberNames: [String] { get }
    /// The namespace as one value, for a path that ends on it.
    var materialized: ScopeValue { get }
}

extension ScopeNamespace {
    /// An object of all members that have a value; secret if any of them is.
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

/// A namespace that is a dictionary.
package struct DictionaryNamespace: ScopeNamespace {
    /// The members by name.
    package var members: [String: ScopeNode]

    /// A namespace of these members.
    package init(_ members: [String: ScopeNode] = [:]) {
        self.members = members
    }

    package func member(_ name: String) -> ScopeNode? { members[name] }
    package var memberNames: [String] { members.keys.sorted() }
}

/// The environment of expressions, injected so that it is constant during a step.
package protocol EvaluationEnvironment: Sendable {
    /// The result of `now()`.
    func now() -> Timestamp
    /// The text that `uuid()` gives.
    func uuid() -> String
    /// The bytes of a file, for `file(path)`.
    func contents(ofFile path: String) throws(FileUnavailable) -> [UInt8]
}

/// Why a file could not be read by `file(path)`.
package struct FileUnavailable: Error, Sendable, Equatable {
    /// The reason, to stand behind the file's name: `does not exist`.
    package var reason: String

    /// A reason that can stand behind the file's name.
    package init(reason: String) {
        self.reason = reason
    }
}

/// Everything that an expression can see.
package struct EvaluationScope: Sendable {
    /// The bare names.
    package var root: any ScopeNamespace
    /// `$`, the value at hand, where there is one.
    package var current: ScopeValue?
    /// `item`, the element of a list stage, where there is one. It goes before a bare name `item`.
    package var item: ScopeValue?
    /// Clock, identifiers and files.
    package var environment: any EvaluationEnvironment

    /// A scope; see the properties.
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
