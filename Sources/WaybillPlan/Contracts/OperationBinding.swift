import OrderedCollections
import WaybillContract
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillRuntime

/// The operations of OpenAPI documents that become endpoints of a manifest.
package enum BoundOperations: Sendable {
    /// Those that the manifest calls.
    case called
    /// Those, and the one with a name, if there is one.
    case named(String)
    /// All that can be read.
    case all
}

/// Makes endpoints of the operations that a manifest calls, from the OpenAPI documents of its services.
///
/// Only these operations are read, unless others are asked for: their parameters, bodies, responses and schemas.
struct OperationBinding {
    private(set) var manifest: Manifest
    private(set) var diagnostics: [Diagnostic] = []
    /// The documents, by the names of the services.
    private(set) var contracts: OrderedDictionary<String, Contract> = [:]
    private var bindings: [Binding] = []

    /// Binds the operations of a manifest.
    ///
    /// - Parameters:
    ///   - operations: The operations to bind.
    ///   - wholly: Whether all operations of the documents are read, to report every error in them.
    init(
        _ manifest: Manifest,
        _ operations: BoundOperations = .called,
        files: any ManifestFileSystem,
        allowsOutside: Bool,
        wholly: Bool = false
    ) {
        self.manifest = manifest
        if !manifest.unknown.isEmpty { noteUnknownOperations() }
        guard manifest.services.values.contains(where: { $0.value.contract != nil }) else {
            reportEndpointsWithoutContract()
            return
        }
        let reader = ContractReader(
            folder: FileContents.folder(of: manifest.file.name),
            allowsOutside: allowsOutside,
            from: files
        )
        for (name, service) in manifest.services {
            guard let path = service.value.contract else { continue }
            let (contract, found) = reader.contract(path)
            diagnostics += found
            guard let contract else { continue }
            contracts[name] = contract
            checkSchemes(of: service.value, contract)
            bindServer(of: name, contract)
            if wholly { checkAll(contract) }
        }
        bindEndpoints()
        for name in calledNames where self.manifest.endpoints[name.value] == nil { bind(name) }
        bindUncalled(operations)
        addEndpoints()
        reportClashes()
    }

    /// The names that steps and sessions call, with the location of the first call.
    private var calledNames: [Spanned<String>] {
        var names: OrderedDictionary<String, Spanned<String>> = [:]
        func add(_ name: Spanned<String>) { if names[name.value] == nil { names[name.value] = name } }
        for service in manifest.services.values { if let session = service.value.session { add(session.call.name) } }
        for step in manifest.graphs.values.flatMap(\.value.allSteps) {
            if case .call(let call) = step.action, !step.unknown.contains(.form) { add(call.name) }
        }
        return Array(names.values)
    }

    /// Records the names that are called and may be operations of a document that could not be read.
    private mutating func noteUnknownOperations() {
        for name in calledNames where manifest.endpoints[name.value] == nil && mayBeOperation(name.value) {
            manifest.unknown.note(name.value, in: .endpoints)
        }
    }

    /// Whether a name may be that of an operation of a document that could not be read.
    private func mayBeOperation(_ name: String) -> Bool {
        manifest.unknown.mayDefineSomething(in: .services) && name.utf8.contains(UInt8(ascii: "."))
            || manifest.services.contains { service, definition in
                definition.value.unknown.contains(.contract) && name.utf8.starts(with: "\(service).".utf8)
            }
    }

    /// Gives a service without a base URL the address of the document's first server.
    private mutating func bindServer(of name: String, _ contract: Contract) {
        guard let service = manifest.services[name]?.value, !service.settings.mayHave(BaseURLSetting.key),
            !manifest.defaults.mayHave(BaseURLSetting.key), let server = contract.document.server
        else { return }
        let settings = Settings(baseURL: server.url, at: contract.name.span, level: .service(name))
        manifest.services[name]?.value.settings = Cascade.merge([settings, service.settings])
    }

    // MARK: Endpoints

    /// An endpoint to make of an operation.
    private struct Binding {
        /// The name of the endpoint.
        let name: Spanned<String>
        let operation: BoundOperation
        /// Where the manifest names the operation.
        let span: SourceSpan
        let refinement: RequestDefinition?
        /// Whether the operation may be sent to the service.
        var isSent = true
    }

    private mutating func addEndpoints() {
        for (service, contract) in contracts {
            contract.find(bindings.filter { $0.operation.service == service }.flatMap(\.operation.inputLocations))
        }
        for binding in bindings {
            let name = binding.name.value
            let endpoint = endpoint(binding, level: .endpoint(name))
            if let endpoint { manifest.endpoints[name] = Definition(name: binding.name, value: endpoint) }
        }
    }

    /// Binds the endpoints that refine operations.
    private mutating func bindEndpoints() {
        for (name, definition) in manifest.endpoints {
            let endpoint = definition.value
            guard let operation = endpoint.operationName else { continue }
            if endpoint.hasAddress {
                diagnostics.report(
                    "conflicting-keys",
                    "an endpoint with 'operation' cannot have 'path', 'url', 'method', 'service' or 'inputs'",
                    at: operation.span,
                    help: ["The operation has them: remove these keys, or 'operation'."]
                )
            }
            guard let (service, rest) = contractAndName(in: operation.value) else {
                reportUnknownService(of: operation)
                manifest.unknown.note(name, in: .endpoints)
                continue
            }
            guard let bound = operationNamed(rest, of: service, at: operation) else {
                manifest.unknown.note(name, in: .endpoints)
                continue
            }
            bindings.append(
                Binding(
                    name: definition.name,
                    operation: bound,
                    span: operation.span,
                    refinement: endpoint.request
                )
            )
        }
    }

    /// Binds an operation that is called directly.
    private mutating func bind(_ name: Spanned<String>) {
        guard let (service, rest) = contractAndName(in: name.value) else { return }
        guard let bound = operationNamed(rest, of: service, at: name) else {
            manifest.unknown.note(name.value, in: .endpoints)
            return
        }
        bindings.append(Binding(name: name, operation: bound, span: name.span, refinement: nil))
    }

    /// Binds operations that the manifest does not call, as far as they can be read.
    private mutating func bindUncalled(_ operations: BoundOperations) {
        for (service, contract) in contracts {
            let entries =
                switch operations {
                case .called: [] as [OpenAPIDocument.Entry]
                case .named(let name):
                    contractAndName(in: name).map {
                        $0.service == service ? contract.document.entries(named: $0.rest) : []
                    }
                        ?? []
                case .all: contract.document.operations
                }
            let bound = Set(
                bindings.filter { $0.operation.service == service }.map(\.operation.operation.entry.methodAndPath)
            )
            for entry in entries {
                if case .named(let given) = operations {
                    // A refinement has another name.
                    if bindings.contains(where: { $0.name.value.hasSameCodePoints(as: given) }) { continue }
                } else if bound.contains(entry.methodAndPath) {
                    continue
                }
                guard let operation = try? contract.document.operation(entry) else { continue }
                var name = "\(service).\(entry.name)"
                var isSent = false
                if case .named(let given) = operations { (name, isSent) = (given, true) }
                if manifest.endpoints[name] != nil { name = "\(service).\(entry.methodAndPath)" }
                let span = contract.name.span
                bindings.append(
                    Binding(
                        name: Spanned(name, at: span),
                        operation: BoundOperation(operation, of: contract, for: service),
                        span: span,
                        refinement: nil,
                        isSent: isSent
                    )
                )
            }
        }
    }

    /// Returns the service at the start of the name of an operation, and the rest after the dot; `nil` if no service with a
    /// document has such a name.
    private func contractAndName(in name: String) -> (service: String, rest: String)? {
        let services = manifest.services.filter { $0.value.value.contract != nil }.keys
        let service = services.filter { name.utf8.starts(with: "\($0).".utf8) }.max { $0.utf8.count < $1.utf8.count }
        return service.map { ($0, String(name.unicodeScalars.dropFirst($0.unicodeScalars.count + 1))) }
    }

    private mutating func operationNamed(
        _ name: String,
        of service: String,
        at use: Spanned<String>
    ) -> BoundOperation? {
        guard let contract = contracts[service] else { return nil }
        let entries = contract.document.entries(named: name)
        guard let entry = entries.first else {
            if let error = contract.document.error(ofPathIn: name) {
                diagnostics.append(contract.diagnostic(for: error, usedAt: use.span))
                return nil
            }
            let known = contract.document.names
            let nearest = NearestName.of(name, among: known)
            diagnostics.report(
                "unknown-operation",
                "the document of service '\(service)' has no operation '\(name)'",
                at: use.span,
                label: nearest.map { "did you mean '\(service).\($0)'?" } ?? "",
                help: [
                    "An operation is named by its operationId, or by its method and path, as in "
                        + "'\(service).\(known.first ?? "GET /")'; 'waybill operations' lists them."
                ]
            )
            return nil
        }
        guard entries.count == 1 else {
            diagnostics.report(
                "unknown-operation",
                "the document of service '\(service)' has \(entries.count) operations with the id '\(name)'",
                at: use.span,
                secondary: entries.compactMap { contract.span(of: $0.location) }.map { .init($0, "defined here") },
                help: ["Name the operation by its method and path: '\(service).\(entry.methodAndPath)'."]
            )
            return nil
        }
        do {
            return BoundOperation(try contract.document.operation(entry), of: contract, for: service)
        } catch {
            diagnostics.append(contract.diagnostic(for: error, usedAt: use.span))
            return nil
        }
    }

    private mutating func endpoint(_ binding: Binding, level: Level) -> Endpoint? {
        let (bound, span) = (binding.operation, binding.span)
        guard let service = manifest.services[bound.service]?.value else { return nil }
        var settings = Settings()
        if let server = bound.operation.server, !isAddressWritten(for: service) {
            settings = Settings(baseURL: server.url, at: span, level: level)
        }
        if binding.isSent { reportCombination(service.credentials(for: bound.operation), at: span) }
        return bound.endpoint(at: span, settings: settings, refinedBy: binding.refinement, level: level)
    }

    /// Whether the manifest itself has a base URL for a service.
    private func isAddressWritten(for service: Service) -> Bool {
        guard let baseURL = service.settings.baseURL ?? manifest.defaults.baseURL else { return false }
        return baseURL.span != service.contract?.span
    }

    // MARK: Errors

    /// Reports credentials that an operation requires together and that one request cannot have.
    private mutating func reportCombination(_ credentials: OperationCredentials, at span: SourceSpan) {
        guard !credentials.required.isEmpty, credentials.combined == nil else { return }
        diagnostics.report(
            "missing-credentials",
            "the operation requires several credentials at once, of which only keys of the method 'apiKey' "
                + "can be combined",
            at: span,
            secondary: credentials.required.map { .init($0.span, "required by the operation") }
        )
    }

    /// Reports credentials for security schemes that the document does not have.
    private mutating func checkSchemes(of service: Service, _ contract: Contract) {
        let schemes = contract.document.securitySchemes
        let known = schemes.map(\.name)
        for (scheme, credentials) in service.security {
            if let found = schemes.first(where: { $0.name.hasSameCodePoints(as: scheme.value) })?.scheme {
                guard let expected = credentials.value.mismatch(with: found) else { continue }
                diagnostics.report(
                    "invalid-value",
                    "the security scheme '\(scheme.value)' of the document is \(expected)",
                    at: credentials.span
                )
                continue
            }
            let nearest = NearestName.of(scheme.value, among: known)
            diagnostics.report(
                "unknown-name",
                "the document has no security scheme '\(scheme.value)'",
                at: scheme.span,
                label: nearest.map { "did you mean '\($0)'?" } ?? "",
                help: known.isEmpty || nearest != nil
                    ? [] : ["Available: \(known.map { "'\($0)'" }.joined(separator: ", "))."]
            )
        }
    }

    /// Reads every operation of a document, and reports the first error in each.
    private mutating func checkAll(_ contract: Contract) {
        for (_, error) in contract.document.unreadPaths {
            diagnostics.append(contract.diagnostic(for: error, usedAt: contract.name.span))
        }
        for (id, operations) in contract.document.sharedIDs {
            let spans = operations.compactMap { contract.span(of: $0.location) }
            diagnostics.report(
                "invalid-contract",
                "\(operations.count) operations have the operationId '\(id)'",
                at: spans.first ?? contract.name.span,
                secondary: spans.dropFirst().map { .init($0, "the same id") }
            )
        }
        for entry in contract.document.operations {
            do {
                _ = try contract.document.operation(entry)
            } catch {
                diagnostics.append(contract.diagnostic(for: error, usedAt: contract.name.span))
            }
        }
    }

    /// Reports the endpoints whose name an operation also has.
    private mutating func reportClashes() {
        for definition in manifest.endpoints.values where definition.value.request.operation == nil {
            guard let (service, rest) = contractAndName(in: definition.name.value),
                let entry = contracts[service]?.document.entries(named: rest).first
            else { continue }
            diagnostics.report(
                "duplicate-definition",
                "the endpoint '\(definition.name.value)' has the name of an operation",
                at: definition.name.span,
                secondary: contracts[service]?.span(of: entry.location).map { [.init($0, "the operation")] } ?? []
            )
        }
    }

    private mutating func reportEndpointsWithoutContract() {
        for (name, definition) in manifest.endpoints {
            guard let operation = definition.value.operationName else { continue }
            reportUnknownService(of: operation)
            manifest.unknown.note(name, in: .endpoints)
        }
    }

    private mutating func reportUnknownService(of operation: Spanned<String>) {
        guard !mayBeOperation(operation.value) else { return }
        let names = manifest.services.filter { $0.value.value.contract != nil }.keys
        diagnostics.report(
            "unknown-operation",
            "'\(operation.value)' does not start with the name of a service that has an OpenAPI document",
            at: operation.span,
            help: [
                names.isEmpty
                    ? "Name the document of a service with 'openapi: FILE'."
                    : "Write for example '\(names[0]).getOrder'."
            ]
        )
    }
}

/// The credentials that a service has for an operation.
struct OperationCredentials {
    /// Those of the first alternative for which the service has all security schemes.
    var required: [Setting<Authentication>] = []
    /// All of them in one; `nil` if there are none, or if one request cannot have them together.
    var combined: Setting<Authentication>?
}

extension Service {
    /// Returns the credentials under `security` that an operation requires.
    func credentials(for operation: Operation) -> OperationCredentials {
        for alternative in operation.security {
            let credentials = alternative.compactMap { scheme in
                security.first { $0.scheme.value.utf8.elementsEqual(scheme.utf8) }?.credentials
            }
            guard credentials.count == alternative.count else { continue }
            let combined = Authentication.combined(credentials.map(\.value))
            return OperationCredentials(
                required: credentials,
                combined: combined.flatMap { combined in credentials.first?.map { _ in combined } }
            )
        }
        return OperationCredentials()
    }
}

extension Endpoint {
    /// Whether it has an address of its own, or other keys that an operation determines.
    fileprivate var hasAddress: Bool {
        !request.address.text.value.written.isEmpty || request.method != nil || request.service != nil
            || !inputs.isEmpty
    }
}
