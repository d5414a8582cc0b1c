import Synchronization
import WaybillContract
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// The kinds of responses of operations that a run has received.
final class CoveredResponses: Sendable {
    /// The maximum number of kinds that no document declares: a server may invent any number of media types.
    private static let maximumUndeclared = 1_000

    private struct State {
        var seen: Set<RunEvent.CoveredResponse>
        var undeclaredCount = 0
    }

    private let state: Mutex<State>

    /// - Parameter earlier: Those of the run that is resumed.
    init(_ earlier: Set<RunEvent.CoveredResponse>) {
        state = Mutex(State(seen: earlier))
    }

    /// Notes a response. Returns whether it is the first of its kind.
    func note(_ response: RunEvent.CoveredResponse) -> Bool {
        state.withLock { state in
            if !response.isDeclared, state.undeclaredCount == Self.maximumUndeclared { return false }
            guard state.seen.insert(response).inserted else { return false }
            if !response.isDeclared { state.undeclaredCount += 1 }
            return true
        }
    }

    /// Returns the coverage of the documents of the services, as far as the plan's graphs are concerned.
    func coverage(of plan: Plan, _ redactor: Redactor) -> [ContractCoverage] {
        let seen = Dictionary(grouping: state.withLock(\.seen)) { CodePoints("\($0.service) \($0.operation)") }
        let called = Dictionary(
            plan.requests.compactMap(\.operation).map { bound in
                (CodePoints("\(bound.service) \(bound.operation.entry.methodAndPath)"), bound.operation)
            }
        ) { first, _ in first }
        return plan.contracts.map { service, contract in
            let rows = contract.document.operations.map { entry in
                var row = ContractCoverage.Operation(name: entry.methodAndPath, id: entry.id)
                let key = CodePoints("\(service) \(entry.methodAndPath)")
                guard let received = seen[key] else { return row }
                for (status, mediaType) in called[key]?.responseNames ?? [] {
                    row.add(.init(status, mediaType.map { redactor.text($0) }, isDeclared: true, isSeen: false))
                }
                for response in received.sorted(by: { $0.name < $1.name }) {
                    let (status, mediaType) = (response.status, response.mediaType)
                    row.add(.init(status, mediaType, isDeclared: response.isDeclared, isSeen: true))
                }
                return row
            }
            // How many operations such a path has is not known.
            let unread = contract.document.unreadPaths.map { path, _ in
                ContractCoverage.Operation(name: "\(path) (cannot be read)", id: nil)
            }
            return ContractCoverage(
                service: service,
                document: contract.path,
                title: contract.document.title,
                operations: rows + unread
            )
        }
    }
}

extension RunEvent.CoveredResponse {
    /// The status and the media type, for a stable order.
    fileprivate var name: String { "\(status) \(mediaType?.string ?? "")" }
}

extension Attempt {
    /// Notes which of the declared responses of its operation a response is. The mock server shows nothing about a service.
    ///
    /// - Parameter hidesFields: Whether its header fields may contain secrets that are not known.
    func noteCoverage(of evaluator: ResponseEvaluator, hidesFields: Bool) {
        let response = evaluator.response
        // A response that was stored earlier shows nothing about the service, either.
        guard let bound = evaluator.plan.operation, !run.executor.isMocked, response.cacheUse != .hit else { return }
        for redirect in response.redirects {
            note(redirect.status, redirect.headers, of: bound, isWithoutContent: true, hidesFields: hidesFields)
        }
        let isWithoutContent = evaluator.isWithoutContent
        note(response.status, response.headers, of: bound, isWithoutContent: isWithoutContent, hidesFields: hidesFields)
    }

    private func note(
        _ responseStatus: Int,
        _ headers: HTTPFields,
        of bound: BoundOperation,
        isWithoutContent: Bool,
        hidesFields: Bool
    ) {
        let type = headers.first(named: "Content-Type")
        // What remains of a secret after normalisation would not be recognised.
        let isSecret = hidesFields || type.map { run.redactor.redact($0) != $0 } ?? false
        let (status, mediaType, isDeclared) = bound.operation.names(
            ofStatus: responseStatus,
            contentType: type,
            isWithoutContent: isWithoutContent
        )
        let covered = RunEvent.CoveredResponse(
            service: bound.service,
            operation: bound.operation.entry.methodAndPath,
            status: status,
            mediaType: mediaType.map { isDeclared || !isSecret ? run.redactor.text($0.excerpt(100)) : "***" },
            isDeclared: isDeclared
        )
        if run.coveredResponses.note(covered) { run.events.emit(.operationCovered(covered)) }
    }
}
