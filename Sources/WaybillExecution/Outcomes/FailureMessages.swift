import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillTransport

extension Failure {
    /// Returns the failure with the message that `messages` sets for its kind, if any. The general message does not
    /// replace one that is specific. The original message remains as a detail.
    func worded(by messages: [MessageOption.Name: Setting<MessageOption>], redactor: Redactor) -> Failure {
        guard let words = messages.text(for: self) else { return self }
        var failure = self
        if !details.contains(where: { $0.message == message }) {
            failure.details.insert(Detail(message, at: span), at: 0)
        }
        let text = redactor.text(words)
        failure.message = if messages.showsCode, let serverCode { "\(text) (\(serverCode.text))" } else { text }
        return failure
    }
}

extension [MessageOption.Name: Setting<MessageOption>] {
    /// Whether messages show the code of a failure.
    var showsCode: Bool {
        if case .showCode(let shows)? = self[.showCode]?.value { shows } else { true }
    }

    /// The message for a failure: that for its kind, or the general one.
    fileprivate func text(for failure: Failure) -> String? {
        for name in failure.kind.messageNames where name != .general || !failure.isSpecific {
            if case .text(let text)? = self[name]?.value { return text }
        }
        return nil
    }
}

extension FailureKind {
    /// The names under `messages` that apply to failures of this kind, the most specific one first.
    fileprivate var messageNames: [MessageOption.Name] {
        switch self {
        case .duplicate: [.duplicate, .general]
        case .unreachable, .dns, .connect: [.unreachable, .general]
        case .input, .tls, .timeout, .transfer, .status, .contentType, .decode, .filter, .output, .expect, .contract,
            .download:
            [.general]
        // The request was cancelled by a person, or because of another failure.
        case .cancelled: []
        }
    }
}

/// Finds the message of a server about its own failure.
enum ServerMessage {
    /// The server's message in the body of a failed response, where servers usually put it (RFC 9457 and common
    /// practice).
    static func find(in body: JSON) -> String? {
        guard case .object(let object) = body else {
            return body.string.flatMap { $0.isEmpty || $0.utf8.first == UInt8(ascii: "<") ? nil : $0.excerpt(300) }
        }
        if case .object(let inner)? = object["error"], let words = find(in: .object(inner)) { return words }
        for name in ["message", "detail", "error_description", "description", "title", "error", "errorMessage"] {
            if let words = object[name]?.string, !words.isEmpty { return words.excerpt(300) }
        }
        return nil
    }
}

extension FailureKind {
    /// The kind of a failure of the transport in results. A server that does not accept the connection within the time
    /// limit cannot be reached, and nothing was sent.
    init(_ failure: TransportFailure) {
        self =
            switch failure.kind {
            case .timeout where failure.phase == .connecting: .connect
            case .dns: .dns
            case .connect: .connect
            case .tls: .tls
            case .timeout: .timeout
            case .transfer: .transfer
            case .cancelled: .cancelled
            }
    }
}
