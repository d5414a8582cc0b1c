import Synchronization
import WaybillRuntime

/// Receives the response to one request of a download, and writes it to the partial file on the file's thread.
final class DownloadReceiver: BodyReceiver {
    /// What happened to the response.
    enum Outcome: Sendable {
        /// Its body was written to the file, as far as it was received.
        case written(DownloadState.Body, HTTPResponse)
        /// The file is requested again from the start.
        case startOver
        /// It is an ordinary response, or none was received.
        case ordinary
        /// A file already exists and is kept.
        case kept(HTTPResponse)
        /// The download failed.
        case failed(DownloadError, HTTPResponse)
    }

    private struct State {
        var decision: DownloadState
        var outcome = Outcome.ordinary
    }

    private let file: PartialFile
    private let thread: FileThread
    private let accept: FileDownload.Acceptor
    private let state: Mutex<State>

    init(
        _ decision: DownloadState,
        file: PartialFile,
        thread: FileThread,
        accept: @escaping FileDownload.Acceptor
    ) {
        self.file = file
        self.thread = thread
        self.accept = accept
        state = Mutex(State(decision: decision))
    }

    /// The state of the download after the response.
    var decision: DownloadState { state.withLock { $0.decision } }

    /// What happened to the response.
    var outcome: Outcome { state.withLock { $0.outcome } }

    var executor: any TaskExecutor { thread }

    func begin(_ response: HTTPResponse) async -> BodyUse {
        let name = SuggestedName.of(response.headers) ?? state.withLock { $0.decision.resumedRecord?.name }
        let step = state.withLock { $0.decision.next(after: response) }
        let response = step.isAboutRest ? response.forWholeFile : response
        var body: DownloadState.Body
        switch step {
        case .reject: return end(.ordinary)
        case .startOver: return end(.startOver)
        case .fail(let reason): return end(.failed(DownloadError(reason), response))
        case .write(let written): body = written
        }
        do throws(DownloadError) {
            switch try await accept(response, name) {
            case .no: return end(.ordinary)
            case .keepExisting: return end(.kept(response))
            case .yes: break
            }
            body.record = decision.withoutSecrets(body.record)
            try file.begin(body)
            return end(.written(body, response))
        } catch {
            return end(.failed(error, response))
        }
    }

    func receive(_ bytes: [UInt8]) async -> Bool {
        guard case .written(_, let response) = outcome else { return false }
        do throws(DownloadError) {
            if try file.write(bytes) { return true }
            state.withLock { state in
                state.decision.startOver()
                state.outcome = .startOver
            }
            return false
        } catch {
            _ = end(.failed(error, response))
            return false
        }
    }

    /// Records what happened to the response. The body of an ordinary response is collected as usual; for the others,
    /// `receive` writes the body or ends the transfer.
    private func end(_ outcome: Outcome) -> BodyUse {
        state.withLock { $0.outcome = outcome }
        if case .ordinary = outcome { return .collect }
        return .receive
    }
}

extension DownloadState.Step {
    /// Whether the response has the rest of the file.
    fileprivate var isAboutRest: Bool {
        switch self {
        case .write(let body): body.offset > 0
        case .startOver, .reject, .fail: false
        }
    }
}

extension HTTPResponse {
    /// The response with the status that a request for the whole file would have had, because expectations are checked
    /// against that one.
    var forWholeFile: HTTPResponse {
        var response = self
        response.status = 200
        return response
    }
}
