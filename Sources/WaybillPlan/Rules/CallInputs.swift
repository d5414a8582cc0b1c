import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillSchema

/// A call must give every required input, no unknown ones, and no constant that violates an input's schema.
struct CallInputs: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let manifest = subject.manifest
        var diagnostics: [Diagnostic] = []
        for service in manifest.services.values {
            guard let call = service.value.session?.call, let endpoint = manifest.endpoints[call.name.value]?.value
            else { continue }
            diagnostics += check(
                call,
                of: "endpoint",
                inputs: endpoint.inputs,
                areAllKnown: !endpoint.request.unknown.contains(.inputs)
                    && !manifest.unknown.isDefined(call.name.value, in: .endpoints),
                areAllGiven: !service.value.unknown.contains(.session),
                in: manifest
            )
        }
        for endpoint in manifest.endpoints.values.map(\.value) where !endpoint.request.unknown.contains(.inputs) {
            guard let filled = endpoint.request.paginate?.filledInput, endpoint.inputs[filled.value] == nil else {
                continue
            }
            diagnostics.append(.unknown("input", filled, among: endpoint.inputs.keys))
        }
        for site in subject.steps {
            let filled = site.paginate?.filledInput
            switch site.step.action {
            case .call(let call), .graph(let call):
                guard let inputs = site.calledInputs else { continue }
                let areAllKnown = !site.areCalledInputsUnknown
                let isEndpoint = site.endpoint != nil
                if isEndpoint, site.step.flow?.paginate != nil, let filled, areAllKnown, inputs[filled.value] == nil {
                    diagnostics.append(.unknown("input", filled, among: inputs.keys))
                }
                diagnostics += check(
                    call,
                    of: isEndpoint ? "endpoint" : "graph",
                    inputs: inputs,
                    filled: isEndpoint ? filled?.value : nil,
                    areAllKnown: areAllKnown,
                    areAllGiven: !site.step.unknown.contains(.arguments) && !site.arePagesUnknown,
                    in: manifest
                )
            case .request:
                guard let filled, !site.step.unknown.contains(.form) else { continue }
                let help = ["A request in a step has no inputs: use 'query', or define an endpoint and 'call' it."]
                diagnostics.append(.unknown("input", filled, among: [String](), help: help))
            case .group, .values, .end: continue
            }
        }
        return diagnostics
    }

    private func check(
        _ call: Step.Call,
        of kind: String,
        inputs: Definitions<InputDeclaration>,
        filled: String? = nil,
        areAllKnown: Bool,
        areAllGiven: Bool,
        in manifest: Manifest
    ) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var isGiven = [Bool](repeating: false, count: inputs.count)
        for argument in call.arguments {
            if let index = inputs.index(forKey: argument.name.value) { isGiven[index] = true }
        }
        var missing = inputs.keys.indices.filter { index in
            areAllGiven && !isGiven[index] && inputs.keys[index] != filled
                && manifest.inputs[inputs.keys[index]] == nil && inputs.values[index].value.defaultValue == nil
                && !inputs.values[index].value.isUnknown && !inputs.values[index].value.isOptional
                && !manifest.unknown.mayDefine(inputs.keys[index], in: .inputs)
        }.map { inputs.values[$0] }
        for argument in call.arguments {
            guard let index = inputs.index(forKey: argument.name.value) else {
                guard areAllKnown else { continue }
                let help = inputs.isEmpty ? ["The \(kind) '\(call.name.value)' takes no inputs."] : []
                diagnostics.append(.unknown("input", argument.name, among: inputs.keys, help: help))
                continue
            }
            // Of a string with text around its expressions, only the type is known.
            let isText = argument.value.isText
            guard let value = argument.value.constant ?? (isText ? "" : nil) else { continue }
            let input = inputs.values[index]
            for violation in input.value.schema.validate(value).prefix(1) where !isText || violation.concernsType {
                diagnostics.report(
                    "invalid-input",
                    "the value of input '\(argument.name.value)' \(violation.message)",
                    at: argument.value.span,
                    secondary: [.init(input.value.span, "declared here")]
                )
            }
        }
        let misspelt = call.misspelt(missing.map(\.name.value), besides: inputs.keys)
        missing.removeAll { misspelt.contains($0.name.value) }
        if !missing.isEmpty {
            let names = missing.map { "'\($0.name.value)'" }.joined(separator: ", ")
            diagnostics.report(
                "missing-input",
                "the call of '\(call.name.value)' requires \(missing.count == 1 ? "input" : "the inputs") \(names)",
                at: call.name.span,
                secondary: missing.map { .init($0.name.span, "declared here") },
                help: ["Give it under 'with'."]
            )
            diagnostics[diagnostics.count - 1].validNames = missing.map(\.name.value)
        }
        return diagnostics
    }
}

extension ValueTemplate {
    /// Whether the value is a string whatever its expressions yield, because there is text around them.
    fileprivate var isText: Bool {
        guard case .scalar(let scalar) = self, let parts = scalar.template?.template.parts else { return false }
        return parts.count > 1
    }
}

extension SchemaViolation {
    fileprivate var concernsType: Bool {
        if case .wrongType = detail { instanceLocation.tokens.isEmpty } else { false }
    }
}

extension Step.Call {
    /// Returns the missing inputs that unknown arguments were meant to be: each is reported as one error, at the argument.
    func misspelt(_ missing: [String], besides inputs: some Collection<String>) -> Set<String> {
        Set(
            arguments.filter { !inputs.contains($0.name.value) }.compactMap {
                NearestName.of($0.name.value, among: missing)
            }
        )
    }
}

extension Pagination {
    /// The input that each page fills.
    var filledInput: Spanned<String>? {
        if case .input(let name)? = target { name } else { nil }
    }
}
