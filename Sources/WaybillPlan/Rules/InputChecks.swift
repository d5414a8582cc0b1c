import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillSchema

/// The conditions on the inputs of an endpoint or graph read only inputs, and the constants of each call satisfy them.
struct InputChecks: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        let all =
            manifest.endpoints.values.flatMap(\.value.request.checks) + manifest.graphs.values.flatMap(\.value.checks)
        guard !all.isEmpty else { return [] }
        let impure = all.flatMap(\.impurities)
        guard impure.isEmpty else { return impure }
        var diagnostics: [Diagnostic] = []
        func check(
            _ call: Step.Call,
            _ kind: String,
            _ checks: [Check],
            _ inputs: Definitions<InputDeclaration>,
            filled: String? = nil
        ) {
            guard !checks.isEmpty else { return }
            let known = call.knownInputs(of: inputs, filled: filled, in: manifest)
            guard let violation = checks.violation(by: known) else { return }
            let spans = call.arguments.filter { violation.inputs.contains($0.name.value) }.map(\.value.span)
            diagnostics.append(violation.diagnostic(of: "\(kind) '\(call.name.value)'", at: call.name.span, spans))
        }
        for service in manifest.services.values {
            guard let call = service.value.session?.call, let endpoint = manifest.endpoints[call.name.value]?.value
            else { continue }
            check(call, "endpoint", endpoint.request.checks, endpoint.inputs)
        }
        for site in subject.steps where !site.step.unknown.contains(.arguments) && !site.arePagesUnknown {
            switch (site.step.action, site.callee) {
            case (.call(let call), .endpoint(let endpoint, _)?):
                let filled = site.paginate?.filledInput?.value
                check(call, "endpoint", endpoint.request.checks, endpoint.inputs, filled: filled)
            case (.graph(let call), .graph(let graph)?): check(call, "graph", graph.checks, graph.inputs)
            default: break
            }
        }
        return diagnostics
    }
}

extension Step.Call {
    /// Returns the values that the inputs certainly have: constants and defaults.
    fileprivate func knownInputs(
        of inputs: Definitions<InputDeclaration>,
        filled: String?,
        in manifest: Manifest
    ) -> JSONObject {
        var known = JSONObject()
        for (name, input) in inputs where name != filled {
            if let argument = arguments.last(where: { $0.name.value == name }) {
                // A value that violates the schema is an error of its own.
                guard let value = argument.value.constant, input.value.schema.isValid(value) else { continue }
                known[name] = value
            } else if manifest.inputs[name] == nil, input.value.environmentVariable == nil, !input.value.isOptional,
                !manifest.unknown.mayDefine(name, in: .inputs)
            {
                known[name] = input.value.defaultValue
            }
        }
        return known
    }
}

extension Check {
    /// The errors for what the condition and its message read in addition to inputs.
    fileprivate var impurities: [Diagnostic] {
        var found: [Diagnostic] = []
        func report(_ subject: String, _ span: SourceSpan) {
            found.report(
                "impure-check",
                "a condition on inputs cannot use \(subject)",
                at: span,
                help: ["It reads only 'inputs': give what it needs as another input."]
            )
        }
        visitUses(
            UseVisitor { use in
                for reference in use.text.references where reference.root != .inputs {
                    report("'\(reference.name)'", use.text.span(of: reference.range))
                }
                if use.text.isAmbient { report("functions that read a clock, a file or a filter", use.text.span) }
            }
        )
        return found
    }
}

/// A condition on inputs that certain values violate.
struct InputViolation {
    /// The names of the inputs that it reads.
    let inputs: [String]
    private let check: Check
    private let message: String

    fileprivate init(_ check: Check, _ inputs: [String], _ message: String) {
        (self.check, self.inputs, self.message) = (check, inputs, message)
    }

    /// Returns the error for the inputs of an endpoint or graph.
    ///
    /// - Parameters:
    ///   - span: The location of the call; `nil` if no step calls it.
    ///   - values: The locations of the values.
    func diagnostic(of callee: String, at span: SourceSpan?, _ values: [SourceSpan]) -> Diagnostic {
        var labels = values.map { Diagnostic.Label($0, "given here") }
        if span != nil { labels.append(.init(check.that.span, "the condition")) }
        return Diagnostic(
            "violated-check",
            "the inputs of \(callee) are not accepted: \(message)",
            at: span ?? check.that.span,
            secondary: labels
        )
    }
}

extension [Check] {
    /// Returns the first condition that some values violate. A condition that reads another input is not checked.
    func violation(by values: JSONObject) -> InputViolation? {
        for check in self {
            var names: [String?] = []
            check.visitUses(UseVisitor { use in names += use.text.references.map { $0.segments.first?.name } })
            let known = names.compactMap { name in name.flatMap { values[$0] == nil ? nil : $0 } }
            guard known.count == names.count else { continue }
            let inputs = DictionaryNamespace(
                Dictionary(uniqueKeysWithValues: values.map { ($0.name, .value(ScopeValue($0.value))) })
            )
            let scope = EvaluationScope(
                root: DictionaryNamespace(["inputs": .namespace(inputs)]),
                environment: NoEnvironment()
            )
            do throws(EvaluationFailure) {
                try [check].require(in: scope)
            } catch {
                return InputViolation(check, known, error.message)
            }
        }
        return nil
    }
}
