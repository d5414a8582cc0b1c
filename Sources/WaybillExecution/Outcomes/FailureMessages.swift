import WaybillDiagnostics
import WaybillManifest
import WaybillResults

extension Failure {
    /// The failure with the text that `messages` has for its kind, if there is one; what happened remains as a finding.
    func worded(by messages: [MessageOption.Name: Setting<MessageOption>], redactor: Redactor) -> Failure {
        guard let words = messages.text(for: kind) else { return self }
        var failure = self
        if !findings.contains(where: { $0.message == message }) {
            failure.findings.insert(Finding(message, at: span), at: 0)
        }
        let text = redactor.text(words)
        failure.message = if messages.showsCode, let code { "\(text) (\(code.text))" } else { text }
        return failure
    }
}

extension [MessageOption.Name: Setting<MessageOption>] {
    /// Whether messages show the code of a failure.
    var showsCode: Bool {
        if case .showCode(let shows)? = self[.showCode]?.value { shows } else { true }
    }

    /// The text for failures of a kind: its own, or the general one.
    fileprivate func text(for kind: FailureKind) -> String? {
        for name in kind.messageNames {
            if case .text(let text)? = self[name]?.value { return text }
        }
        return nil
    }
}

extension FailureKind {
    /// The names under `messages` whose texts apply to failures of this kind, the more specific one first.
    fileprivate var messageNames: [MessageOption.Name] {
        switch self {
        case .duplicate: [.duplicate, .general]
        case .unreachable, .dns, .connect: [.unreachable, .general]
        case .input, .tls, .timeout, .transfer, .status, .contentType, .decode, .filter, .output, .expect, .download:
            [.general]
        // It was stopped by a person or another failure.
        case .cancelled: []
        }
    }
}
