import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// A step that is done for each element of a list.
struct ForEachRun: Sendable {
    private let step: StepPlan
    private let forEach: ForEach
    private let frame: Frame
    /// Where the records of all elements go, in their order.
    private let file: StepFile?
    /// What is known of them from before the run was resumed.
    private let past: PastElements?
    /// The path of this instance of the step.
    private let path: String
    private var run: RunContext { frame.run }

    init(_ step: StepPlan, _ forEach: ForEach, in frame: Frame, file: StepFile?) {
        self.step = step
        self.forEach = forEach
        self.frame = frame
        self.file = file
        path = frame.path(of: step)
        past = frame.run.past?.elements(of: path)
    }

    /// What came of one element.
    private struct ElementRun: Sendable {
        var index: Int
        var end: NodeRun.End
        var failure: Failure?
        /// How many requests of the step itself were sent for it.
        var attempts = 0
        /// The address of the request that failed.
        var url: RedactedText?
        var record: ElementRecord?
        /// What becomes of it when the run is resumed.
        var use = RunEvent.KeptRecord.Use.taken
        /// What the journal keeps of it.
        var kept: RunEvent.KeptRecord?
    }

    /// Runs all elements, side by side as far as they may be.
    func run() async -> NodeRun {
        let source: ElementSource
        do {
            source = try await ElementSource(forEach.elements, in: frame, at: path)
        } catch {
            return frame.failed(step, run.failure(error))
        }
        if let change = change(in: source) {
            let message =
                "\(change), so nothing of the step is sent; restore the list and resume again, or start a new run"
            return frame.refused(step, Failure(.input, run.redactor.text(message), at: forEach.span))
        }
        var result = StepResult(step, at: path, graph: frame.graph, outcome: .passed)
        result.startedAt = .now()
        let began = run.activeTime
        run.events.emit(.stepStarted, step: path)
        var summary = await runElements(of: source)
        // There is no file to finish where it was in its place before the run was resumed.
        let written = if let file { await finish(file, &summary) } else { run.past?.written(path) }
        result.elements = summary.results
        result.attempts = summary.attempts
        result.time = PhaseTimes(total: run.activeTime - began)
        result.failure = summary.failure
        result.outcome = summary.outcome(isTolerated: frame.tolerates(step))
        var record = summary.record(of: step, result)
        if step.keeps.contains(.written) { record.written = written?.json }
        let use: RunEvent.KeptRecord.Use = summary.isPartlyUnsure ? .partly : .taken
        run.events.emit(.stepFinished(result, kept: record.kept(use, redactor: run.redactor)), step: path)
        if let id = step.id { frame.steps.keep(record, of: id) }
        return NodeRun(end: summary.end, steps: [result], failure: summary.failure, use: use)
    }

    /// What the tasks that run the elements share.
    private final class Ledger: Sendable {
        struct State {
            var order: ForEachState
            var summary: ForEachSummary
            /// Whether all that are under way are to be cancelled.
            var cancelsUnderWay = false
        }

        let state: Mutex<State>

        init(_ order: ForEachState, _ summary: ForEachSummary) {
            state = Mutex(State(order: order, summary: summary))
        }
    }

    private func runElements(of source: ElementSource) async -> ForEachSummary {
        let concurrency = forEach.concurrency?.value ?? step.concurrency ?? run.concurrency
        let ledger = Ledger(
            ForEachState(count: source.count, concurrency: concurrency, mode: step.onFailure),
            ForEachSummary(mode: step.onFailure, keepsItems: step.keeps.contains(.items))
        )
        return await withTaskGroup(of: Void.self, returning: ForEachSummary.self) { tasks in
            func beginMore() {
                while let index = ledger.state.withLock({ begin(&$0, of: source) }) {
                    tasks.addTask { await runOneAfterAnother(from: index, of: source, ledger) }
                }
            }
            beginMore()
            while await tasks.next() != nil {
                if ledger.state.withLock({ $0.cancelsUnderWay }) { tasks.cancelAll() }
                beginMore()
            }
            return ledger.state.withLock { state in
                state.summary.skip(source.count - state.order.next)
                return state.summary
            }
        }
    }

    /// Runs elements in the task at hand, from this one on, as long as there are tasks for all that may be under way.
    private func runOneAfterAnother(from first: Int, of source: ElementSource, _ ledger: Ledger) async {
        var next: Int? = first
        while let index = next {
            let element = await runAlone(index, of: source)
            if frame.isInElement { run.nestedElements.ended() }
            next = ledger.state.withLock { state in
                add(finish(element), &state)
                // A task that was cancelled with its element begins no other.
                return state.order.freePlaces == 1 && !state.cancelsUnderWay ? begin(&state, of: source) : nil
            }
        }
    }

    /// The element that is to begin now, if one is. Those that had ended before the run was resumed are taken as they are.
    private func begin(_ state: inout Ledger.State, of source: ElementSource) -> Int? {
        while frame.mayBegin, file?.hasRoom ?? true, hasRoomAmongNested(state.order), let index = state.order.begin() {
            let isLost = file?.loss?.elements.contains(index) ?? false
            guard !isLost, let before = past?.elements[index] else {
                if frame.isInElement { run.nestedElements.started() }
                return index
            }
            add(take(before, at: index, of: source), &state)
        }
        return nil
    }

    private func hasRoomAmongNested(_ order: ForEachState) -> Bool {
        !frame.isInElement || order.underWay == 0 || run.nestedElements.hasRoom
    }

    private func add(_ element: ElementRun, _ state: inout Ledger.State) {
        if state.order.ended(element.index, hasFailed: element.end == .failed) { state.cancelsUnderWay = true }
        if file?.isBroken ?? false || [.cancelled, .skipped(.interrupted), .refused].contains(element.end) {
            state.order.stop()
        }
        state.summary.attempts += element.attempts
        if element.use != .taken { state.summary.isPartlyUnsure = true }
        state.summary.add(
            element.index,
            element.end,
            element.failure,
            url: element.url,
            element.record,
            isTolerated: frame.tolerates(step)
        )
    }

    /// Runs an element so that it can be cancelled by itself.
    private func runAlone(_ index: Int, of source: ElementSource) async -> ElementRun {
        let path = "\(path)[\(index)]"
        var (element, wasCancelled) = await run.control.run(step: path, endpoint: step.endpoint) {
            await run(index, of: source, at: path)
        }
        if wasCancelled { element.end = NodeRun(end: element.end).cancelledByItself.end }
        return element
    }

    private func run(_ index: Int, of source: ElementSource, at path: String) async -> ElementRun {
        let element: ScopeValue
        do {
            element = try source.element(index)
        } catch {
            return ElementRun(index: index, end: .failed, failure: run.failure(error))
        }
        let inner = frame.element(path, of: step, forEach.variable.value, element)
        let node = await inner.runOnce(step, at: path, output: file.map { ElementOutput($0, of: index) })
        var result = ElementRun(index: index, end: node.end, failure: node.failure, url: node.failedURL)
        // The steps of a chain or batch inside have entries of their own.
        if case .request = step.work { result.attempts = node.steps.reduce(0) { $0 + $1.attempts } }
        var record = StepRecord(isPassed: node.end == .passed)
        if step.keeps.contains(.items) {
            record = step.id.flatMap { inner.steps.record(of: $0) } ?? record
            result.record = ElementRecord(item: element, record: record)
        }
        result.use = node.use
        result.kept = record.kept(
            node.use,
            redactor: run.redactor,
            element: element.isSecret ? nil : element.digest,
            cookies: node.cookies
        )
        return result
    }

    /// Ends an element. One at a time, so that the journal names the parts of a file in their order.
    private func finish(_ element: ElementRun) -> ElementRun {
        var element = element
        var records: RecordedOutput?
        do throws(Failure) {
            records = try file?.end(element.index, fileEnd(of: element))
        } catch {
            if element.end == .passed { (element.end, element.failure) = (.failed, error) }
        }
        let outcome: StepOutcome =
            switch element.end {
            case .passed, .ended: .passed
            case .failed: frame.tolerates(step) ? .tolerated : .failed
            case .refused: .failed
            case .cancelled: .cancelled
            case .skipped: .skipped
            case .withdrawn(let outcome): outcome
            }
        let end = RunEvent.ElementEnd(
            element: element.index,
            outcome: outcome,
            failure: element.failure,
            url: element.failure == nil ? nil : element.url,
            records: records,
            kept: element.kept
        )
        run.events.emit(.elementFinished(end), step: path, durably: !step.isIdempotent)
        return element
    }

    /// What an element's end means for the file: what failed and is not tolerated has to run again before it is complete.
    private func fileEnd(of element: ElementRun) -> RecordSink.End {
        switch element.end {
        case .passed, .ended: .kept
        case .failed: frame.tolerates(step) ? .without : .missing
        case .skipped(.condition), .skipped(.ended), .skipped(.failure), .withdrawn: .without
        case .cancelled, .skipped(.interrupted), .refused: .missing
        }
    }

    /// What is different in the elements that had ended before the run was resumed; `nil` where they are as they were.
    private func change(in source: ElementSource) -> String? {
        for (index, before) in past?.elements.sorted(by: { $0.key < $1.key }) ?? [] {
            let done = "element \(index) was already done before the run was resumed"
            guard index < source.count else {
                return "\(done), and the list has only \(source.count) now"
            }
            do throws(EvaluationProblem) {
                let element = try source.element(index)
                // Of a secret element the journal has no digest.
                if before.digest == element.digest || before.digest == nil && element.isSecret { continue }
                return "element \(index) differs from the one that the run started with"
            } catch {
                return "\(done), and cannot be evaluated any more: \(error.message)"
            }
        }
        return nil
    }

    /// An element that had ended before the run was resumed, and is the same as then.
    private func take(_ before: PastElements.Element, at index: Int, of source: ElementSource) -> ElementRun {
        do throws(EvaluationProblem) {
            let element = try source.element(index)
            var result = ElementRun(index: index, end: before.outcome == .passed ? .passed : .failed)
            result.failure = before.failure
            result.url = before.url
            result.use = before.use
            if step.keeps.contains(.items) {
                // The journal keeps no record of an element of which there is nothing to say but that it passed.
                let record = before.record.map { StepRecord(kept: $0) }
                result.record = ElementRecord(
                    item: element,
                    record: record ?? StepRecord(isPassed: before.outcome == .passed)
                )
            }
            return result
        } catch {
            return ElementRun(index: index, end: .failed, failure: run.failure(error))
        }
    }

    /// Moves the file to its place, unless something in it is missing that nobody has allowed to be.
    private func finish(_ file: StepFile, _ summary: inout ForEachSummary) async -> RunEvent.WrittenFile? {
        let outcome = summary.outcome(isTolerated: frame.tolerates(step))
        guard outcome == .passed || outcome == .tolerated && !summary.wasCancelled && frame.mayBegin else { return nil }
        do throws(Failure) {
            return try await file.commit()
        } catch {
            summary.fail(error)
            return nil
        }
    }
}

extension ScopeValue {
    /// A checksum of an element, to find out whether a list has changed.
    fileprivate var digest: String {
        var bytes: [UInt8] = []
        JSONWriter().write(json, to: &bytes)
        return Checksum.text(of: bytes)
    }
}

extension StepPlan {
    /// Whether what the step does, once or for an element, can be done twice without harm.
    var isIdempotent: Bool {
        guard case .request(let request) = work else { return true }
        return request.isIdempotent()
    }

    /// The greatest number of the elements at once that the step's own settings allow.
    fileprivate var concurrency: Int? {
        guard case .group(let group) = work, group.order == .chain else { return nil }
        return group.concurrency
    }
}
