package import OrderedCollections
package import WaybillDiagnostics
package import WaybillJSON
package import WaybillSchema

/// A manifest and everything it includes, as written: names are not resolved yet, settings are not merged.
package struct Manifest: Sendable {
    /// The documents of the manifest and of everything it includes.
    package var documents: [YAMLNode]
    /// The name; by default, that of the file.
    package var name: String
    /// The files that the source file includes.
    var includes: [Spanned<String>] = []
    /// Whether the manifest states its name.
    package var hasName = false
    /// The description for people.
    package var description: String?
    /// Values that a run receives.
    package var inputs: Definitions<InputDeclaration> = [:]
    /// Secret values, which are never written.
    package var secrets: Definitions<SecretDeclaration> = [:]
    /// Files that are read when a plan is built.
    package var data: Definitions<DataDeclaration> = [:]
    /// Changes that `--env` applies to the rest.
    package var environments: Definitions<Environment> = [:]
    /// Settings of every request.
    package var defaults = Settings()
    /// Servers.
    package var services: Definitions<Service> = [:]
    /// Named lists of filter stages.
    package var filters: Definitions<[Setting<FilterEntry>]> = [:]
    /// Requests that steps can call.
    package var endpoints: Definitions<Endpoint> = [:]
    /// Chains and batches that can be run.
    package var graphs: Definitions<Graph> = [:]
    /// The schemas that were read from files, by the location that names the file.
    package internal(set) var schemaFiles: [SourceSpan: JSON] = [:]
    /// The contents that are unknown because of errors in the source. A manifest with unknown contents can be checked
    /// but not run.
    package var unknown = UnknownContent()

    /// Creates an empty manifest, as read from a document.
    package init(document: YAMLNode, name: String) {
        documents = [document]
        self.name = name
    }

    /// The source file of the manifest itself.
    package var file: SourceFile { documents[0].file }
}

/// A server that requests are sent to.
package struct Service: Sendable {
    package var settings: Settings
    /// The path of the OpenAPI document that describes the service.
    package var contract: Spanned<String>?
    /// Credentials, by the names of the document's security schemes.
    package var security: [(scheme: Spanned<String>, credentials: Setting<Authentication>)] = []
    /// The session, which is established before the first request that needs it.
    package var session: SessionDefinition?
    /// The parts that are unknown because of errors in the source.
    package var unknown: UnknownParts = []
}

/// A call that provides the requests of a service with shared values, such as a token.
package struct SessionDefinition: Sendable {
    /// The endpoint that is called, and its inputs.
    package var call: Step.Call
    /// The statuses on which the call is repeated.
    package var renewOn: [StatusPattern]
    package var level: Level
    package var span: SourceSpan
}

/// A request that steps can call.
package struct Endpoint: Sendable {
    /// The inputs that a call can set.
    package let inputs: Definitions<InputDeclaration>
    package let request: RequestDefinition
    /// The name of the operation that it refines: that of the service, a dot and the name in the service's document.
    package var operationName: Spanned<String>?
}

/// An input of a manifest, graph or endpoint.
package struct InputDeclaration: Sendable {
    /// The schema of the value.
    package let schema: JSONSchema
    /// The schema as written.
    package let document: JSON
    /// The types in the schema, for reading a value from the command line; empty if it names none.
    package let types: [String]
    package var defaultValue: JSON?
    /// An environment variable that contains the value.
    package var environmentVariable: String?
    package var span: SourceSpan
    /// Whether the content of the declaration is unknown because of errors in the source.
    package var isUnknown = false
    /// Whether a call need not give it: an input of an operation, which the rules on operations check.
    package var isOptional = false
}

/// The source of a secret.
package struct SecretDeclaration: Sendable {
    /// Where the value comes from.
    package enum Source: Sendable {
        /// An environment variable.
        case variable(String)
        /// The standard output of a program, which is started with these arguments, its name first.
        case command([String], timeout: Duration)
        /// A file.
        case file(NamedFile)
    }

    /// Where the value comes from.
    package var source: Source
    /// The location of the source in the manifest.
    package var span: SourceSpan

    /// The environment variable that contains the secret.
    package var variable: String? { if case .variable(let name) = source { name } else { nil } }
    /// The file that contains the secret.
    package var file: NamedFile? { if case .file(let file) = source { file } else { nil } }

    /// The source in words, such as `the environment variable TOKEN`.
    package var words: String {
        switch source {
        case .variable(let name): "the environment variable \(name)"
        case .command(let arguments, _): "the command '\(arguments[0])'"
        case .file(let file): "the file \(file.path.value)"
        }
    }
}

/// Changes that are applied to a manifest.
package struct Environment: Sendable {
    /// Changes to the defaults.
    package var defaults: Settings
    /// Changes to services.
    package var services: [(name: Spanned<String>, service: Service)]
    /// Values of inputs.
    package var inputs: [(name: Spanned<String>, value: Spanned<JSON>)]
    /// Different sources of secrets.
    package var secrets: [(name: Spanned<String>, value: SecretDeclaration)]
    /// Different data files.
    package var data: [(name: Spanned<String>, value: DataDeclaration)]
}

/// Definitions of one kind by name, in the order in which the manifest defines them.
package typealias Definitions<Value> = OrderedDictionary<String, Definition<Value>>

/// A named value and the location of its name.
package struct Definition<Value: Sendable>: Sendable {
    package var name: Spanned<String>
    package var value: Value

    package init(name: Spanned<String>, value: Value) {
        self.name = name
        self.value = value
    }
}

/// Data that a manifest reads when its plan is built: an entry of `data`.
package enum DataDeclaration: Sendable {
    /// The content of a file. Without a format, the file's extension determines how it is read.
    case file(path: Spanned<String>, format: (any ReadableRecordFormat.Type)?)
    /// The files whose paths match a pattern.
    case glob(pattern: Spanned<String>)

    /// The path or the pattern.
    package var file: Spanned<String> {
        switch self {
        case .file(let path, _): path
        case .glob(let pattern): pattern
        }
    }
}
