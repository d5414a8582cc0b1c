import WaybillContract
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

extension ResponseEvaluator {
    /// The failure of a response that the contract of its operation does not declare. Warnings are added to `evaluated`.
    mutating func contractFailure() -> Failure? {
        let (violations, areErrors) = contractViolations()
        guard areErrors else {
            evaluated.contractWarnings = violations.map(located)
            return nil
        }
        guard let first = violations.first else { return nil }
        let count = violations.count
        let message = count == 1 ? first.message : "the response differs from its contract in \(count) ways"
        return Failure(
            .contract,
            shown(message),
            at: plan.address.text.span,
            details: hiddenBody == nil ? violations : []
        )
    }

    /// The message of a difference from the contract, with the location of what declares it.
    private func located(_ difference: Failure.Detail) -> RedactedText {
        redactor.text(difference.message.description + (difference.span.map { " (declared at \($0))" } ?? ""))
    }

    /// Adds the differences from the contract to another failure.
    mutating func withContract(_ failure: Failure) -> Failure {
        guard plan.operation != nil, hiddenBody == nil, let contract = contractFailure() else { return failure }
        var failure = failure
        if failure.details.isEmpty { failure.details = [.init(failure.message, at: failure.span)] }
        failure.details += contract.details
        return failure
    }

    /// A message about the body, unless that is hidden.
    private func shown(_ message: RedactedText) -> RedactedText {
        guard let hiddenBody else { return message }
        return redactor.text("the response differs from its contract" + hiddenBody)
    }

    /// The differences of the response from the contract of its operation, and whether they are errors or warnings.
    private func contractViolations() -> (violations: [Failure.Detail], areErrors: Bool) {
        guard let bound = plan.operation else { return ([], false) }
        let severity = plan.settings.contractSeverity(of: .response)
        guard severity != .off else { return ([], false) }
        let received = ReceivedResponse(
            status: response.status,
            headers: response.headers.map { ($0.name, $0.value) },
            body: receivedBody
        )
        let violations = bound.operation.violations(of: received)
        return (
            violations.map { violation in
                Failure.Detail(redactor.text(violation.message), at: bound.contract.span(of: violation.location))
            }, severity == .error
        )
    }

    private var receivedBody: ReceivedResponse.Body {
        if isWithoutContent || plan.download != nil { return .unchecked }
        if response.body.isEmpty { return .empty }
        let type = response.headers.first(named: "Content-Type").map(MediaTypeName.init)
        guard type?.isJSON == true else {
            return String(validating: response.body, as: UTF8.self).map(ReceivedResponse.Body.text) ?? .bytes
        }
        // The data may have been filtered since, and a response that is not accepted was not decoded.
        if let body = evaluated.body, body.json.string == nil { return .json(body.json) }
        return (try? JSONParser(stopsAtLimit: true).parse(response.body)).map(ReceivedResponse.Body.json) ?? .bytes
    }
}
