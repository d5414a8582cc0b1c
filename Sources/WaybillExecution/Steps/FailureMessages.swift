import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillResults

extension Failure {
    /// The failure in the manifest's own words, where `messages` has some for its kind; what happened stays as a finding.
    func worded(by messages: [MessageOption.Name: Setting<MessageOption>], redactor: Redactor) -> Failure {
        guard !messages.isEmpty, let name = kind.messageName, let setting = messages[name],
            case .text(let words) = setting.value
        else { return self }
        var showsCode = true
        if case .showCode(let shows)? = messages[.showCode]?.value { showsCode = shows }
        var failure = self
        failure.findings = [Finding(message, at: span)] + findings
        let text = redactor.text(words)
        failure.message = if showsCode, let code { "\(text) (\(code))" } else { text }
        return failure
    }
}

extension FailureKind {
    /// The name under `messages` that has words for failures of this kind. What the manifest itself says of an answer, in
    /// filters and expectations, has words already.
    fileprivate var messageName: MessageOption.Name? {
        switch self {
        case .duplicate: .duplicate
        case .unreachable: .unreachable
        case .dns, .connect, .tls, .timeout, .transfer, .status, .contentType, .decode, .download: .general
        case .input, .filter, .output, .expect, .cancelled: nil
        }
    }
}
