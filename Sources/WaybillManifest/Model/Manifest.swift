package import OrderedCollections
package import WaybillDiagnostics
package import WaybillJSON
package import WaybillSchema

/// A manifest and everything it includes, as written: names are not resolved yet, settings not merged.
package struct Manifest: Sendable {
    /// The text of the manifest itself.
    package var file: SourceFile
    /// The texts of the manifest and of everything it includes.
    package var sources: [SourceFile]
    /// Its name; that of the file when it gives none.
    package var name: String
    /// What it is for.
    package var description: String?
    /// Values that a run takes.
    package var inputs: Definitions<InputDeclaration> = [:]
    /// Values that are never written.
    package var secrets: Definitions<SecretDeclaration> = [:]
    /// Files that are read when a plan is built.
    package var data: Definitions<DataDeclaration> = [:]
    /// Changes that `--env` lays over the rest.
    package var environments: Definitions<Environment> = [:]
    /// Settings of every request.
    package var defaults = Settings()
    /// Servers.
    package var services: Definitions<Service> = [:]
    /// Named lists of filter stages.
    package var filters: Definitions<[Setting<FilterEntry>]> = [:]
    /// Requests that steps can call.
    package var endpoints: Definitions<Endpoint> = [:]
    /// What can be run.
    package var graphs: Definitions<Graph> = [:]
    /// The schemas that were read from files, by where the files are named.
    package internal(set) var schemaFiles: [SourceSpan: JSON] = [:]
    /// What is not known of it, because of mistakes in its text. A manifest that has any can be checked and not be run.
    package var unknown = UnknownContent()

    /// A manifest that says nothing yet.
    package init(file: SourceFile, name: String) {
        self.file = file
        sources = [file]
        self.name = name
    }
}

/// A server that requests go to.
package struct Service: Sendable {
    /// Its settings.
    package var settings: Settings
    /// What is run once, before the first request that needs it.
    package var session: SessionDefinition?
    /// What is not known of it, because of mistakes in its text.
    package var unknown: UnknownParts = .nothing
}

/// What gives the requests of a service what they share, such as a token.
package struct SessionDefinition: Sendable {
    /// The endpoint that is called, and its inputs.
    package var call: Step.Call
    /// The statuses on which it is run again.
    package var renewOn: [StatusPattern]
    /// The level that it was written at.
    package var level: Level
    /// Where it was written.
    package var span: SourceSpan
}

/// A request that steps can call.
package final class Endpoint: Sendable {
    /// What a call must or may give.
    package let inputs: Definitions<InputDeclaration>
    /// The request.
    package let request: RequestDefinition

    init(
        inputs: Definitions<InputDeclaration>,
        request: RequestDefinition
    ) {
        self.inputs = inputs
        self.request = request
    }
}

/// A value that a manifest or an endpoint takes.
package struct InputDeclaration: Sendable {
    /// What the schema says. Inputs of one short type share it.
    private final class Shape: Sendable {
        let schema: JSONSchema
        let document: JSON
        let types: [String]

        init(_ schema: JSONSchema, _ document: JSON, _ types: [String]) {
            self.schema = schema
            self.document = document
            self.types = types
        }
    }

    private let shape: Shape

    /// What the value must be.
    package var schema: JSONSchema { shape.schema }
    /// The schema as it was written.
    package var document: JSON { shape.document }
    /// The types that the schema names, for reading a value from the command line; empty when it names none.
    package var types: [String] { shape.types }
    /// The value when none is given.
    package var defaultValue: JSON?
    /// An environment variable that gives the value.
    package var environmentVariable: String?
    /// Where the declaration stands.
    package var span: SourceSpan
    /// Whether there is a mistake in its text, so that it may say anything.
    package var isUnknown: Bool

    /// A declaration; see the properties.
    init(
        schema: JSONSchema,
        document: JSON,
        types: [String],
        defaultValue: JSON? = nil,
        environmentVariable: String? = nil,
        span: SourceSpan,
        isUnknown: Bool = false
    ) {
        shape = Shape(schema, document, types)
        self.defaultValue = defaultValue
        self.environmentVariable = environmentVariable
        self.span = span
        self.isUnknown = isUnknown
    }
}

/// Where a secret comes from.
package struct SecretDeclaration: Sendable {
    /// The environment variable that holds it.
    package var environmentVariable: Spanned<String>
}

/// Changes laid over a manifest.
package struct Environment: Sendable {
    /// Changes of the defaults.
    package var defaults: Settings
    /// Changes of services.
    package var services: [(name: Spanned<String>, service: Service)]
    /// Values of inputs.
    package var inputs: [(name: Spanned<String>, value: Spanned<JSON>)]
    /// Other places of secrets.
    package var secrets: [(name: Spanned<String>, value: SecretDeclaration)]
    /// Other files of data.
    package var data: [(name: Spanned<String>, value: DataDeclaration)]
}

/// Things of one sort that a manifest defines by name, in the order in which it does.
package typealias Definitions<Value> = OrderedDictionary<String, Definition<Value>>

/// A named thing and the place where its name stands.
package struct Definition<Value: Sendable>: Sendable {
    /// The name, with its span.
    package var name: Spanned<String>
    /// The thing.
    package var value: Value

    /// A thing under a name.
    package init(name: Spanned<String>, value: Value) {
        self.name = name
        self.value = value
    }
}

/// Data that a manifest reads when its plan is built: an entry of `data`.
package enum DataDeclaration: Sendable {
    /// What a file says. Without a format its name's ending tells how it is read.
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
