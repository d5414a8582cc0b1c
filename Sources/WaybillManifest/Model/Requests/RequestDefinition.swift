import WaybillContract
package import WaybillDiagnostics
package import WaybillFormats
package import WaybillJSON
package import WaybillSchema

/// A request as written in the manifest: an endpoint or an inline request of a graph.
package final class RequestDefinition: Sendable {
    /// The settings of the request itself.
    package let settings: Settings
    /// The name of the service.
    package let service: Spanned<String>?
    /// The method; GET if not specified.
    package let method: Setting<ScalarTemplate>?
    /// The path or the absolute URL.
    package let address: Address
    /// Values computed before each attempt.
    package let vars: [VariableDefinition]
    /// Values for later steps.
    package let outputs: [OutputDefinition]
    /// The required shape of the data.
    package let returns: ReturnShape?
    /// The file that the response is downloaded to.
    package let download: Download?
    /// How the next page is found, if that is an endpoint's; a call may replace it.
    package let paginate: Pagination?
    /// Conditions on the inputs of an endpoint.
    package let checks: [Check]
    /// Example responses.
    package let mock: [MockExample]
    /// The parts that are unknown because of errors in the source.
    package let unknown: UnknownParts
    /// The operation that the request calls; `nil` for a request with an address of its own.
    package let operation: BoundOperation?

    /// Creates the request of an operation.
    ///
    /// - Parameters:
    ///   - span: Where the manifest names the operation.
    ///   - settings: The settings that the operation brings.
    ///   - endpoint: The endpoint that refines it.
    init(
        calling operation: BoundOperation,
        at span: SourceSpan,
        settings: Settings,
        refinedBy endpoint: RequestDefinition?,
        level: Level
    ) {
        let entry = operation.operation.entry
        self.operation = operation
        self.settings = Cascade.merge([settings, endpoint?.settings ?? Settings()])
        service = Spanned(operation.service, at: span)
        method = Setting(ScalarTemplate(entry.method, at: span), at: span, level: level)
        address = .path(Setting(ScalarTemplate(entry.path, at: span), at: span, level: level))
        vars = endpoint?.vars ?? []
        outputs = endpoint?.outputs ?? []
        returns = endpoint?.returns
        download = endpoint?.download
        paginate = endpoint?.paginate
        checks = endpoint?.checks ?? []
        mock = endpoint?.mock ?? []
        unknown = endpoint?.unknown ?? []
    }

    /// Reads the rest of a request whose address, method and settings are known.
    init(
        at address: Address,
        method: Setting<ScalarTemplate>?,
        settings: Settings,
        checks: [Check] = [],
        _ entries: StepEntries,
        unknown: UnknownParts,
        level: Level,
        _ decoder: inout ManifestDecoder
    ) {
        self.settings = settings
        self.checks = checks
        service = entries[.service].flatMap { decoder.text($0) }
        self.method = method
        self.address = address
        vars = decoder.variables(entries[.vars], level: level)
        outputs = decoder.outputs(entries[.outputs], level: level)
        returns = decoder.returnShape(entries[.returns], level: level)
        download = entries[.download].map { decoder.download($0, level: level) }
        // In the short form of a request in a step, it is the step's.
        let pages = if case .endpoint = level { entries[.paginate] } else { YAMLNode?.none }
        paginate = pages.flatMap { decoder.pagination($0, level: level) }
        mock = entries[.mock].map { decoder.mockExamples($0) } ?? []
        self.unknown = unknown
        operation = nil
    }

    /// The method as written.
    package var writtenMethod: String { method?.value.written ?? "GET" }
}

/// The address of a request.
package enum Address: Sendable {
    /// A path, which is appended to the base URL.
    case path(Setting<ScalarTemplate>)
    /// An absolute URL.
    case url(Setting<ScalarTemplate>)
    /// The value of a short form such as `get`: it is known only after evaluation whether it is a path or an absolute
    /// URL.
    case computed(Setting<ScalarTemplate>)

    /// Returns a path with another location.
    package func moved(to span: SourceSpan) -> Address {
        .path(Setting(ScalarTemplate(text.value.written, at: span), at: span, level: text.level))
    }

    /// The address as written.
    package var text: Setting<ScalarTemplate> {
        switch self {
        case .path(let text), .url(let text), .computed(let text): text
        }
    }
}

/// A named value computed before each attempt.
package struct VariableDefinition: Sendable {
    package var name: Spanned<String>
    package var value: ValueTemplate
    package var level: Level
}

/// A named value for later steps.
package struct OutputDefinition: Sendable {
    package var name: Spanned<String>
    package var value: ManifestExpression
    /// The value of `secret`, if specified.
    package var secretMark: Bool?
    package var isSecret: Bool { secretMark ?? false }
    package var level: Level
}

/// The required shape of the data of a request.
package struct ReturnShape: Sendable {
    /// Whether the schema applies to each element of a list instead of the whole.
    package var isCollection: Bool
    /// The schema of the whole, or of each element.
    package var schema: JSONSchema
    package var span: SourceSpan
    package var level: Level
}

/// The file that a response is downloaded to.
package struct Download: Sendable {
    /// The path, relative to the folder of `downloads`; a folder if it ends in a slash. Without a path, that folder
    /// itself.
    package var to: ScalarTemplate?
    /// Whether an interrupted download is resumed where it stopped.
    package var resumes = true
    /// Whether an existing file is replaced; otherwise it is kept, and nothing is downloaded.
    package var replaces = true
    /// The expected digest of the file.
    package var checksum: (algorithm: Digest.Algorithm, value: ManifestExpression)?
    package var span: SourceSpan
    package var level: Level
}

/// An example response for the mock server.
package struct MockExample: Sendable {
    /// The status; 200 if not specified.
    package var status: Int
    /// Header fields.
    package var headers: [(name: String, value: String)]
    /// The body: a string is sent unchanged, anything else as JSON.
    package var body: JSON?
    /// The delay before the response.
    package var delay: Duration
    package var span: SourceSpan
}
