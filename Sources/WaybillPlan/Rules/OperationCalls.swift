import OrderedCollections
import WaybillContract
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillSchema

/// A call of an operation must give what the document requires, and no constant that the document does not permit.
struct OperationCalls: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.steps.flatMap { step -> [Diagnostic] in
            guard let bound = step.endpoint?.request.operation, case .call(let call) = step.step.action,
                !step.step.unknown.contains(.arguments), !step.arePagesUnknown,
                let request = subject.requests.of(step).first
            else { return [] }
            let check = OperationCallCheck(site: request, bound: bound, call: call, filled: step.paginate)
            return check.diagnostics
        } + withoutContract(subject)
    }

    /// Reports `contract` and `security` where no operation is called, so that they have no effect.
    private func withoutContract(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func note(_ key: String, _ span: SourceSpan, _ message: String) {
            diagnostics.report(
                "misplaced-key",
                "'\(key)' has no effect here: \(message)",
                at: span,
                help: ["Name the document of the service with 'openapi: FILE', or remove '\(key)'."]
            )
        }
        for service in subject.manifest.services.values
        where service.value.contract == nil && !service.value.unknown.contains(.contract) {
            let message = "the service has no OpenAPI document"
            if let scheme = service.value.security.first { note("security", scheme.scheme.span, message) }
            if let setting = service.value.settings.contract { note("contract", setting.span, message) }
        }
        if let setting = subject.manifest.defaults.contract,
            !subject.manifest.services.values.contains(where: { $0.value.contract != nil })
        {
            note("contract", setting.span, "no service has an OpenAPI document")
        }
        for site in subject.requests.all where site.definition.operation == nil && site.callers.isEmpty {
            let own = site.definition.settings.contract ?? site.step?.step.settings.contract
            guard let own, !site.definition.unknown.contains(.address) else { continue }
            note("contract", own.span, "the request is not one of an operation")
        }
        return diagnostics
    }
}

/// The check of one call.
private struct OperationCallCheck {
    let site: RequestSite
    let bound: BoundOperation
    let call: Step.Call
    let filled: Pagination?

    private var operation: Operation { bound.operation }
    private var severity: ContractSetting.Severity { site.merged.contractSeverity(of: .request) }

    var diagnostics: [Diagnostic] {
        var diagnostics = missing()
        for (name, parameter) in zip(operation.inputNames, operation.parameters) {
            guard let argument = argument(name) else {
                diagnostics += wrongDefault(of: parameter, name)
                continue
            }
            guard let constant = argument.value.constant else { continue }
            if constant == .null, !parameter.isRequired { continue }
            if let violation = parameter.violation(in: constant) {
                diagnostics += report(
                    violation.sentence(on: "the input '\(name)'"),
                    argument.value.span(at: violation.instanceLocation.tokens),
                    .init(of: violation),
                    parameter.location,
                    help: violation.needsQuotes ? ["Put quotes around it, so that it is a string."] : []
                )
                continue
            }
            guard parameter.isSent(constant) else {
                if parameter.isRequired {
                    diagnostics += report(
                        "the input '\(name)' has no value, and so would not be sent",
                        argument.value.span,
                        nil,
                        parameter.location
                    )
                }
                continue
            }
            let text = parameter.text(of: constant)
            if parameter.part == .header, text?.isFieldValue == false {
                diagnostics.report(
                    "invalid-input",
                    "the input '\(name)' has a character that a header field cannot have",
                    at: argument.value.span,
                    secondary: secondary(parameter.location)
                )
            }
            if text == nil || parameter.part == .path && ["", ".", ".."].contains(text) {
                diagnostics.report(
                    "invalid-input",
                    text == nil
                        ? "the input '\(name)' cannot be written in the style '\(parameter.style)'"
                        : "with the input '\(name)' being '\(text ?? "")', the path would be another one",
                    at: argument.value.span,
                    secondary: secondary(parameter.location)
                )
            }
        }
        return diagnostics + clashes() + body() + missingCredentials() + undeclaredStatus()
    }

    /// Reports a status that the step expects and the document does not declare, so that the step could never pass.
    private func undeclaredStatus() -> [Diagnostic] {
        if operation.responses.isEmpty, site.merged.contractSeverity(of: .response) != .off {
            return [
                Diagnostic(
                    "missing-responses",
                    "the operation declares no responses, so that every response passes",
                    severity: .warning,
                    at: call.name.span,
                    secondary: bound.span.map { [.init($0, "the operation")] } ?? [],
                    help: ["Declare them in the document, or write 'contract: {response: off}'."]
                )
            ]
        }
        guard let expected = site.expectedStatus, site.merged.contractSeverity(of: .response) == .error,
            !operation.responses.isEmpty
        else { return [] }
        let patterns = expected.value.compactMap(\.constant)
        guard !patterns.isEmpty, patterns.count == expected.value.count,
            !patterns.contains(where: { pattern in
                (100...599).contains { pattern.matches($0) && operation.response(for: $0) != nil }
            })
        else { return [] }
        let names = patterns.map(\.description).joined(separator: ", ")
        return [
            Diagnostic(
                "invalid-value",
                "the operation does not declare the status \(names), so the step cannot pass",
                at: expected.span,
                secondary: bound.span.map { [.init($0, "the operation")] } ?? [],
                help: ["Declare it in the document, or write 'contract: {response: off}'."]
            )
        ]
    }

    /// Reports a default of the document that its own schema rejects, where the call gives no value.
    private func wrongDefault(of parameter: ContractParameter, _ name: String) -> [Diagnostic] {
        guard let value = parameter.defaultValue, let violation = parameter.violation(in: value)
        else {
            return []
        }
        let message = violation.sentence(on: "the default of the input '\(name)'")
        return report(
            message,
            call.name.span,
            .init(of: violation),
            parameter.location,
            help: ["Give a value under 'with'."]
        )
    }

    /// Warns of an operation that requires credentials of which the manifest has none.
    private func missingCredentials() -> [Diagnostic] {
        guard !operation.security.isEmpty, !operation.security.contains(where: \.isEmpty),
            let schemes = operation.security.first
        else { return [] }
        if site.mayHave(Authentication.key) { return credentialsOfOtherOrigin() }
        let name = site.service.name ?? bound.service
        let isOwn = !site.service.standsAlone && name.hasSameCodePoints(as: bound.service)
        if let service = site.far.services[name]?.value {
            let known = bound.contract.document.securitySchemes.map(\.name)
            let isMisspelt = service.security.contains { scheme, _ in
                isOwn && !known.contains { $0.hasSameCodePoints(as: scheme.value) }
            }
            if isMisspelt || service.unknown.contains(.security) { return [] }
        }
        let names = schemes.map { "'\($0)'" }.joined(separator: " and ")
        let key = isOwn ? "'security: {\(schemes[0]): {…}}' in the service" : "'auth' in the step"
        return [
            Diagnostic(
                "missing-credentials",
                site.service.standsAlone
                    ? "the operation requires credentials, and 'standalone' requests have none of a service"
                    : "the operation requires credentials: the service has none for \(names)",
                severity: .warning,
                at: call.name.span,
                help: ["Write \(key), or 'auth: none' if none are needed."]
            )
        ]
    }

    /// Warns of an operation whose own server does not receive the credentials of the service.
    private func credentialsOfOtherOrigin() -> [Diagnostic] {
        let settings = site.merged
        let isOfService = settings.entries.contains { $0.value.key == Authentication.key && $0.isForServiceOrigin }
        guard let server = operation.server, isOfService,
            settings.baseURL?.value.constantText == server.url,
            let base = site.service.settings?.baseURL?.value.constantText
        else { return [] }
        let (own, services) = (URIReference(server.url), URIReference(base))
        if own.scheme?.lowercased() == services.scheme?.lowercased(), own.authority == services.authority { return [] }
        return [
            Diagnostic(
                "missing-credentials",
                "the credentials of the service are not sent to the server of the operation, which has another origin",
                severity: .warning,
                at: call.name.span,
                secondary: secondary(server.location),
                help: ["Write 'auth' in the step, or 'auth: none' if none are needed."]
            )
        ]
    }

    private func argument(_ name: String) -> ValueTemplate.Member? {
        call.arguments.last { $0.name.value.utf8.elementsEqual(name.utf8) }
    }

    private func missing() -> [Diagnostic] {
        // Each page fills an input or a query parameter.
        var (filledName, filledQuery): (String?, String?)
        switch filled?.target {
        case .input(let name)?: filledName = name.value
        case .query(let name)?: filledQuery = name.value
        case nil: break
        }
        var missing: [(name: String, location: ContractLocation)] = []
        var isError = false
        for (name, parameter) in zip(operation.inputNames, operation.parameters) {
            // A path without the value of a parameter is another path.
            if parameter.part == .query, let filledQuery, filledQuery.hasSameCodePoints(as: parameter.name) { continue }
            guard parameter.isRequired, severity != .off || parameter.part == .path, parameter.defaultValue == nil,
                argument(name) == nil, filledName != name
            else { continue }
            isError = isError || severity == .error || parameter.part == .path
            missing.append((name, parameter.location))
        }
        if let body = operation.body, body.isRequired, severity != .off, argument("body") == nil {
            isError = isError || severity == .error
            missing.append(("body", body.location))
        }
        let misspelt = call.misspelt(missing.map(\.name), besides: operation.inputNames + ["body"])
        missing.removeAll { misspelt.contains($0.name) }
        guard !missing.isEmpty else { return [] }
        let names = missing.map { "'\($0.name)'" }.joined(separator: ", ")
        var diagnostic = Diagnostic(
            "missing-input",
            "the operation '\(operation.entry.name)' requires \(missing.count == 1 ? "input" : "the inputs") \(names)",
            severity: isError ? .error : .warning,
            at: call.name.span,
            secondary: missing.flatMap { secondary($0.location) },
            help: ["Give it under 'with'."]
        )
        diagnostic.validNames = missing.map(\.name)
        return [diagnostic]
    }

    private var params: [Setting<ParameterSetting>] { site.merged.params.filter { $0.value.value != nil } }

    /// Whether `params` would be the body of the request.
    private var paramsAreBody: Bool { site.definition.sendsParametersInQuery == false }

    /// Where the manifest itself has a body.
    private var bodySpan: SourceSpan? {
        site.merged.body?.span ?? (paramsAreBody ? params.first?.span : nil)
    }

    /// Reports header fields and query parameters that are inputs, and a body where the operation takes none.
    private func clashes() -> [Diagnostic] {
        guard severity == .error else { return [] }
        let settings = site.merged
        let written =
            settings.query.map { ("query", $0.value.name.value, $0.span) }
            + (paramsAreBody ? [] : params.map { ("params", $0.value.name.value, $0.span) })
        var clashes: [(key: String, name: String, span: SourceSpan)] = []
        for (name, parameter) in zip(operation.inputNames, operation.parameters) {
            let clash: (key: String, name: String, span: SourceSpan)? =
                switch parameter.part {
                case .query: written.first { $0.1.hasSameCodePoints(as: parameter.name) }
                case .querystring: written.first
                case .header:
                    settings.headers.first { $0.value.isNamed(parameter.name) }.map { ("headers", name, $0.span) }
                case .cookie:
                    settings.headers.first { $0.value.hasCookie(named: parameter.name) }.map {
                        ("headers", name, $0.span)
                    }
                case .path: nil
                }
            if let clash { clashes.append((clash.key, name, clash.span)) }
        }
        var diagnostics = clashes.map { clash in
            Diagnostic(
                "conflicting-keys",
                "'\(clash.name)' is an input of the operation, which '\(clash.key)' would send without a check",
                at: clash.span,
                help: ["Write it under 'with'."]
            )
        }
        if operation.body == nil, let span = bodySpan {
            diagnostics.append(
                Diagnostic(
                    "conflicting-keys",
                    "the operation takes no body",
                    at: span,
                    secondary: secondary(operation.entry.location),
                    help: ["To send one anyway, write 'contract: {request: off}'."]
                )
            )
        }
        return diagnostics
    }

    private func body() -> [Diagnostic] {
        let settings = site.merged
        if operation.body != nil, let span = bodySpan {
            return [
                Diagnostic(
                    "conflicting-keys",
                    "the body of an operation is its input 'body'",
                    at: span,
                    help: ["Write it under 'with', as 'body'."]
                )
            ]
        }
        guard let body = operation.body, let argument = argument("body"), severity != .off else { return [] }
        let chosen = settings.headers.last { $0.value.isNamed("Content-Type") }
        var media = body.preferred
        var type: MediaTypeName?
        if let chosen {
            guard let text = chosen.value.texts?.first?.constantText else { return [] }
            type = MediaTypeName(text)
            guard let match = type.flatMap(body.media) else {
                return report(body.message(refusing: MediaTypeName(text)), chosen.span, nil, body.location)
            }
            media = match
        }
        // What computed values leave open is checked when the request is sent.
        let (value, unknown) = argument.value.known
        if unknown.contains(where: \.tokens.isEmpty) { return [] }
        if let message = media.refusal(of: value, as: type) {
            return report("the input 'body': \(message)", argument.value.span, nil, media.location)
        }
        return media.violations(in: value, as: type).filter { $0.isCertain(despite: unknown) }.flatMap { violation in
            report(
                violation.sentence(on: "the input 'body'"),
                argument.value.span(at: violation.instanceLocation.tokens),
                .init(of: violation),
                media.location
            )
        }
    }

    private func report(
        _ message: String,
        _ span: SourceSpan,
        _ keyword: ContractLocation?,
        _ owner: ContractLocation,
        help: [String] = []
    ) -> [Diagnostic] {
        guard severity != .off else { return [] }
        return [
            Diagnostic(
                "invalid-input",
                message,
                severity: severity == .error ? .error : .warning,
                at: span,
                secondary: secondary(keyword ?? owner),
                help: help
            )
        ]
    }

    private func secondary(_ location: ContractLocation) -> [Diagnostic.Label] {
        bound.contract.span(of: location).map { [.init($0, "required by the contract")] } ?? []
    }
}

extension HeaderSetting {
    /// Whether it is a constant `Cookie` field with this cookie.
    fileprivate func hasCookie(named name: String) -> Bool {
        guard isNamed("Cookie") else { return false }
        let pairs = (texts ?? []).compactMap(\.constantText).flatMap { $0.split(separator: ";") }
        return pairs.contains { pair in
            let start = pair.utf8.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: "=") }
            return start.elementsEqual(name.utf8)
        }
    }
}

extension SchemaViolation {
    /// Whether a value violates the schema whatever its unknown parts are.
    ///
    /// - Parameter unknown: The locations of these.
    fileprivate func isCertain(despite unknown: [JSONPointer]) -> Bool {
        if unknown.isEmpty { return true }
        let choices: Set = [
            "oneOf", "anyOf", "not", "if", "then", "else", "contains", "dependentSchemas", "uniqueItems",
        ]
        if keywordLocation.tokens.contains(where: { token in
            if case .name(let name) = token { choices.contains(name) } else { false }
        }) {
            return false
        }
        let location = instanceLocation.tokens
        return unknown.allSatisfy { part in
            let part = part.tokens
            if case .unknownName = detail { return part.count >= location.count || !location.starts(with: part) }
            if location.starts(with: part) { return false }
            guard part.starts(with: location) else { return true }
            switch detail {
            case .missingName, .wrongType: return true
            default: return false
            }
        }
    }

    /// Whether a string is required, and the value is a number or boolean because it has no quotes.
    fileprivate var needsQuotes: Bool {
        guard case .wrongType(let expected, let found, _) = detail else { return false }
        return expected.contains(.string) && [.number, .integer, .boolean].contains(found)
    }
}
