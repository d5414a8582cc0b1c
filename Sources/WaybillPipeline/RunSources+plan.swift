import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

extension RunSources {
    /// The name of a manifest that was read from standard input.
    static let standardInput = "<standard input>"

    /// Creates the sources of a plan: digests of its files and steps, and the text of standard input.
    ///
    /// - Parameter kept: Other files whose texts are kept, by path.
    init(of plan: Plan, keeping kept: [CodePoints: [UInt8]], except secrets: some Sequence<String>) {
        let redactor = Redactor()
        for secret in secrets { redactor.register(secret) }
        let files = plan.documents.map(\.file).filter { $0.name == Self.standardInput }
        let texts = files.map { (CodePoints($0.name), $0.bytes) }
        self.init(
            files: PlanContent.digests(of: plan.documents),
            steps: PlanContent(plan).steps.mapValues(\.texts),
            texts: Dictionary(texts) { first, _ in first }.merging(kept) { first, _ in first }
                .filter { !redactor.mayFindSecret(in: $0.value) }
        )
    }

    /// Reads the sources of the run in a folder; `nil` if they cannot be read.
    init?(folder: String) {
        self.init(folder: folder) { PlanContent.digest(of: $0) }
    }
}
