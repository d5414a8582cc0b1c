import WaybillContract
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillSchema
import WaybillTransport

extension RequestBuilder {
    /// The value that a call gives for a parameter of an operation, or its default; `nil` if nothing is sent.
    private func value(of parameter: ContractParameter, _ name: String) -> ScopeValue? {
        if let value = scope.arguments[name], parameter.isSent(value.json) { return value }
        return parameter.defaultValue.map { ScopeValue($0) }
    }

    /// The span of the value of an input, or of the call.
    private func span(ofInput name: String) -> SourceSpan {
        plan.arguments.first { $0.name.utf8.elementsEqual(name.utf8) }?.span ?? plan.address.text.span
    }

    /// The path of an operation, with its parameters.
    mutating func path(of bound: BoundOperation) throws(EvaluationFailure) -> AddressText {
        let operation = bound.operation
        var address = AddressText(path: "")
        for piece in operation.path {
            switch piece {
            case .literal(let text): address.append(path: text)
            case .parameter(let index):
                let (name, parameter) = (operation.inputNames[index], operation.parameters[index])
                guard let value = value(of: parameter, name) else {
                    throw EvaluationFailure(
                        message: "the path of '\(operation.entry.name)' needs the input '\(name)'",
                        span: span(ofInput: name)
                    )
                }
                let text = try self.text(of: parameter, name, value, bound)
                guard !text.isEmpty, text != ".", text != ".." else {
                    let message =
                        text.isEmpty
                        ? "the input '\(name)' is empty, and so the path would be another one"
                        : AddressText.climbing(text)
                    throw EvaluationFailure(message: message, span: span(ofInput: name))
                }
                address.append(path: text, isSecret: value.isSecret)
            }
        }
        return address
    }

    /// Adds the parameters of an operation to a URL, and returns the header fields that it adds.
    mutating func addParameters(
        of bound: BoundOperation,
        to url: inout String
    ) throws(EvaluationFailure) -> [HTTPField] {
        let operation = bound.operation
        var fields: [HTTPField] = []
        for (name, parameter) in zip(operation.inputNames, operation.parameters) where parameter.part != .path {
            // The URL has the page's value.
            if case .query(let filled, let value) = page, parameter.part == .query,
                filled.hasSameCodePoints(as: parameter.name)
            {
                try check(pageValue: value, of: parameter, name, bound)
                continue
            }
            guard let value = value(of: parameter, name) else {
                if parameter.isRequired {
                    let isGiven = scope.arguments[name].map { $0.json != .null } ?? false
                    let words = isGiven ? "has no value, and so would not be sent" : "is missing"
                    try violate("the input '\(name)' \(words)", at: name, parameter.location, bound)
                }
                continue
            }
            let text = try self.text(of: parameter, name, value, bound)
            try register(ScopeText(text, isSecret: value.isSecret))
            switch parameter.part {
            case .query, .querystring: if !text.isEmpty { url = Self.appending(text, to: url) }
            case .header, .cookie:
                let field = parameter.part == .cookie ? "Cookie" : parameter.name
                fields.append(
                    HTTPField(
                        name: field,
                        value: try text.asFieldValue(of: field, at: span(ofInput: name)),
                        isSensitive: value.isSecret || CredentialNames.contains(field)
                    )
                )
            case .path: break
            }
        }
        return fields
    }

    /// The body of an operation; `nil` if the call gives none.
    mutating func body(
        of bound: BoundOperation,
        contentType: String?
    ) throws(EvaluationFailure) -> EncodedBody? {
        guard let declared = bound.operation.body else { return nil }
        guard let value = scope.arguments["body"] else {
            if declared.isRequired { try violate("the input 'body' is missing", at: "body", declared.location, bound) }
            return nil
        }
        let chosen = contentType.map(MediaTypeName.init)
        if let chosen, declared.media(for: chosen) == nil {
            try violate(declared.message(refusing: chosen), at: "body", declared.location, bound)
        }
        let media = chosen.flatMap(declared.media) ?? declared.preferred
        let violations = media.violations(in: value.json, as: chosen)
        if let first = violations.first {
            let sentences =
                value.isSecret
                ? ["the input 'body' \(Self.secretViolation)"] : violations.map { $0.sentence(on: "the input 'body'") }
            let location = ContractLocation(of: first) ?? media.location
            try violate(sentences.joined(separator: "; "), at: "body", location, bound)
        }
        let context = BodyContext(
            scope: scope.scope(.graph(plan.graph)),
            fields: ParameterList(arrays: .repeat),
            boundary: scope.environment.files,
            span: span(ofInput: "body")
        )
        return try media.encoded(value, as: chosen, in: context)
    }

    /// Checks the value of a page for a parameter of the query. A cursor that is a string may be sent as a number.
    private mutating func check(
        pageValue value: JSON,
        of parameter: ContractParameter,
        _ name: String,
        _ bound: BoundOperation
    ) throws(EvaluationFailure) {
        let number = value.string.flatMap(JSONNumber.init(parsing:)).map(JSON.number)
        guard let violation = parameter.violation(in: value),
            number.map({ parameter.violation(in: $0) == nil }) != true
        else { return }
        let location = ContractLocation(of: violation) ?? parameter.location
        try violate(violation.sentence(on: "the page's value of the input '\(name)'"), at: name, location, bound)
    }

    /// The text of a parameter as it is sent.
    private mutating func text(
        of parameter: ContractParameter,
        _ name: String,
        _ value: ScopeValue,
        _ bound: BoundOperation
    ) throws(EvaluationFailure) -> String {
        if let violation = parameter.violation(in: value.json) {
            let location = ContractLocation(of: violation) ?? parameter.location
            let subject = "the input '\(name)'"
            let sentence = value.isSecret ? "\(subject) \(Self.secretViolation)" : violation.sentence(on: subject)
            try violate(sentence, at: name, location, bound)
        }
        guard let text = parameter.text(of: value.json) else {
            throw EvaluationFailure(
                message: "the input '\(name)' cannot be written in the style '\(parameter.style)'",
                span: span(ofInput: name)
            )
        }
        return text
    }

    /// The end of a message about a value that was computed from a secret, which the message must not show.
    private static let secretViolation = "is not what the contract requires; it contains a secret"

    /// Throws for a difference from the contract, or notes a warning, as the setting `contract` requires.
    private mutating func violate(
        _ message: String,
        at input: String,
        _ location: ContractLocation,
        _ bound: BoundOperation
    ) throws(EvaluationFailure) {
        let severity = settings.contractSeverity(of: .request)
        guard severity != .off, !isPreview else { return }
        let required = bound.contract.span(of: location).map { " (required at \($0))" } ?? ""
        guard severity == .warning else {
            throw EvaluationFailure(message: message + required, span: span(ofInput: input))
        }
        warnings.append(message + required)
    }
}
