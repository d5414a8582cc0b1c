import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The environment of the expressions of one attempt: a timestamp and an identifier that do not change, and files.
final class AttemptEnvironment: EvaluationEnvironment {
    /// The maximum size of a file that an expression may read, in bytes.
    private static let maximumFileBytes = 16 << 20
    /// The maximum number of steps of all its expressions together, which includes those of all elements of a list.
    private static let maximumSteps = 4_000_000_000

    private let moment = Timestamp.now()
    private let instance: String
    private let run: RunContext
    private let deadline: Deadline?
    private let steps = Atomic(0)
    private let isStopped = Atomic(false)
    /// The memory of the largest value that was computed, unless that is small.
    private let memory = Mutex<RunMemory.Share?>(nil)
    /// The document that the last expression of XPath read.
    private let document = Mutex<XMLDocument?>(nil)
    /// About how many bytes of memory a parsed document takes for each byte of its text.
    private static let growthOfDocuments = 8

    /// The environment of an attempt that starts now. `uuid()` is derived from the run and the instance of the step, its path
    /// and the rounds around it, so that it stays the same when the step is retried or the run is resumed.
    init(run: RunContext, instance: String, deadline: Deadline?) {
        self.instance = instance
        self.run = run
        self.deadline = deadline
    }

    /// Whether an evaluation was stopped because the task was cancelled or the deadline has passed.
    var hasStopped: Bool { isStopped.load(ordering: .relaxed) }

    /// Forgets that an evaluation was stopped: what it was stopped for has ended with success.
    func goOn() { isStopped.store(false, ordering: .relaxed) }

    func reasonToStop(after steps: Int) -> String? {
        if Task.isCancelled || deadline?.passed != nil {
            isStopped.store(true, ordering: .relaxed)
            return "the evaluation was stopped"
        }
        let total = self.steps.wrappingAdd(steps, ordering: .relaxed).newValue
        return total > Self.maximumSteps ? "the expressions of this request take too many steps" : nil
    }

    func note(bytes: Int) {
        guard bytes > RunMemory.smallBody else { return }
        memory.withLock { memory in
            let share = memory ?? RunMemory.Share(of: run.executor.memory)
            share.note(bytes)
            memory = share
        }
    }

    var namespaces: [String: String] { run.executor.plan.namespaces }

    func document(parsing text: String) throws(XMLDocument.SyntaxError) -> XMLDocument {
        if let kept = document.withLock({ $0 }), kept.source.hasSameCodePoints(as: text) { return kept }
        note(bytes: Self.growthOfDocuments * text.utf8.count)
        let parsed = try XMLDocument(parsing: text)
        document.withLock { $0 = parsed }
        return parsed
    }

    func result(ofFilter name: String, on value: JSON) throws(EvaluationError) -> JSON {
        // The stages count their own steps, but few steps in each of many applications are not counted.
        if let reason = reasonToStop(after: Self.stepsOfApplication) { throw EvaluationError(.limit, reason) }
        let names = ["inputs", "manifest", "data", "run"]
        let root = Namespace(names) { [run] name in
            name == "inputs" ? .namespace(run.scope.inputs) : names.contains(name) ? run.scope.member(name) : nil
        }
        let scope = EvaluationScope(root: root, environment: self)
        var data = ScopeValue(value)
        for stage in run.executor.plan.appliedFilters[name] ?? [] {
            do throws(EvaluationFailure) {
                data = try stage.value.stage.apply(to: data, in: scope, at: stage.span)
            } catch {
                let message = "filter '\(name)' (line \(error.span.start.line)): \(error.message)"
                throw EvaluationError(hasStopped ? .limit : .value, message)
            }
        }
        return data.json
    }

    /// The steps that an application of a filter counts as.
    private static let stepsOfApplication = 256

    func register(secret value: JSON) -> String? { run.redactor.problem(registering: value, from: nil) }

    /// Where the files that the request names may be.
    var files: FolderBoundary { run.files }

    /// The credentials in a netrc file, which is read once for the run.
    func netrc(_ file: LocalFile) throws(FileError) -> Netrc { try run.netrcFiles.netrc(file) }

    func placeholder(for expression: Expression, in scope: EvaluationScope) -> ScopeValue? {
        run.executor.placeholders?.value(for: expression, in: scope)
    }

    func now() -> Timestamp { moment }

    func uuid() -> String { RandomUUID.make(from: "\(run.id) \(instance)") }

    func contents(ofFile path: String) throws(EvaluationError) -> [UInt8] {
        let file = LocalFile(FileContents.path(path, in: run.manifestFolder), within: run.files)
        do {
            return try file.read(limit: Self.maximumFileBytes)
        } catch {
            switch error.reason {
            case .notFound: throw EvaluationError(.value, "does not exist")
            case .outside:
                throw EvaluationError(
                    .value,
                    "is outside the folder of the manifest (\(run.executor.audience.allowsOutside) allows that)"
                )
            default: throw EvaluationError(.value, "cannot be read: \(error.message)")
            }
        }
    }
}
