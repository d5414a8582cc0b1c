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

    /// Returns the coverage of the documents whose operations a plan calls, by the name of the service.
    func coverage(of plan: Plan, _ redactor: Redactor) -> [ContractCoverage] {
        let bound = Dictionary(grouping: plan.requests.compactMap(\.operation), by: \.service)
        let seen = Dictionary(grouping: state.withLock(\.seen)) { "\($0.service) \($0.operation)" }
        return bound.sorted { $0.key < $1.key }.compactMap { service, operations in
            guard let contract = operations.first?.contract else { return nil }
            let called = Dictionary(operations.map { ($0.operation.entry.methodAndPath, $0) }) { first, _ in first }
            let rows = contract.document.operations.map { entry in
                var row = ContractCoverage.Operation(name: entry.methodAndPath, id: entry.id)
                guard let received = seen["\(service) \(entry.methodAndPath)"] else { return row }
                for (status, mediaType) in called[entry.methodAndPath]?.operation.responseNames ?? [] {
                    row.add(
                        ContractCoverage.Response(
                            status: status,
                            mediaType: mediaType.map { redactor.text($0) },
                            isDeclared: true,
                            isSeen: false
                        )
                    )
                }
                for response in received.sorted(by: { $0.name < $1.name }) {
                    row.add(
                        ContractCoverage.Response(
                            status: response.status,
                            mediaType: response.mediaType,
                            isDeclared: response.isDeclared,
                            isSeen: true
                        )
                    )
                }
                return row
            }
            return ContractCoverage(service: service, document: contract.path, operations: rows)
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
        guard let bound = evaluator.plan.operation, !run.executor.isMocked else { return }
        let response = evaluator.response
        let (status, mediaType, isDeclared) = bound.operation.names(
            ofStatus: response.status,
            contentType: response.headers.first(named: "Content-Type"),
            isWithoutContent: evaluator.isWithoutContent
        )
        let covered = RunEvent.CoveredResponse(
            service: bound.service,
            operation: bound.operation.entry.methodAndPath,
            status: status,
            mediaType: mediaType.map { isDeclared || !hidesFields ? run.redactor.text($0.excerpt(100)) : "***" },
            isDeclared: isDeclared
        )
        if run.coveredResponses.note(covered) { run.events.emit(.operationCovered(covered)) }
    }
}
