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
        guard plan.operation != nil, let contract = contractFailure() else { return failure }
        return adding(contract, to: failure)
    }

    /// Adds the differences of a failure of the contract to another failure.
    func adding(_ contract: Failure, to failure: Failure) -> Failure {
        if hiddenBody != nil { return failure }
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
        let redirects = response.redirects.map { ReceivedResponse(status: $0.status, $0.headers, body: .unchecked) }
        let received = redirects + [ReceivedResponse(status: response.status, response.headers, body: receivedBody)]
        let violations = received.flatMap(bound.operation.violations)
        return (
            violations.map { violation in
                // The values of a session are credentials, even if they are not marked as secrets.
                let found = scope.context.isForSession ? "" : violation.found
                return Failure.Detail(
                    redactor.text(violation.message + found),
                    at: bound.contract.span(of: violation.location)
                )
            }, severity == .error
        )
    }

    /// The body as it is compared with the contract.
    private var receivedBody: ReceivedResponse.Body {
        if isWithoutContent || plan.download != nil || events?.data != nil { return .unchecked }
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

extension ReceivedResponse {
    fileprivate init(status: Int, _ headers: HTTPFields, body: Body) {
        self.init(status: status, headers: headers.map { ($0.name, $0.value) }, body: body)
    }
}
