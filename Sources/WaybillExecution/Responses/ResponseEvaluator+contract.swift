import WaybillContract
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

extension ResponseEvaluator {
    /// The differences of the response from the contract of its operation, with what they cause: a failure or a warning.
    func contractViolations() -> (violations: [Failure.Detail], areErrors: Bool) {
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
        // With filters, the data are no longer what was received. A response that is not accepted was not decoded.
        if let body = evaluated.body, body.json.string == nil { return .json(body.json) }
        return (try? JSONParser(stopsAtLimit: true).parse(response.body)).map(ReceivedResponse.Body.json) ?? .bytes
    }
}
