import Synchronization
import WaybillDiagnostics
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults

/// `forEach`: executes a step for each element of a list. It also opens the file of `write`, which all elements share.
struct ForEachLayer<Inner: Layer<StepPlan, NodeOutcome>>: Layer {
    let inner: Inner

    func execute(_ step: StepPlan, in context: StepContext) async -> NodeOutcome {
        var file: StepFile?
        // If the file was complete when the run was resumed, so were all elements.
        if let writes = step.flow?.writes, !writes.isEmpty, !(context.earlier?.hasCommitted(context.path) ?? false) {
            do throws(Failure) {
                file = try await StepFile(writes, of: step, in: context)
            } catch {
                return context.failed(step, error)
            }
        }
        guard let forEach = step.flow?.forEach else {
            var context = context
            context.output = file
            return await inner.execute(step, in: context)
        }
        return await ForEachRunner(step, forEach, in: context, file: file, inner).run()
    }
}

/// Executes the elements of one `forEach` step.
struct ForEachRunner<Inner: Layer<StepPlan, NodeOutcome>>: Sendable {
    let step: StepPlan
    let forEach: ForEach
    let context: StepContext
    /// The file for the records of all elements, in the order of the list.
    let file: StepFile?
    /// The elements of the earlier run.
    let earlier: EarlierElements?
    /// The layers inside.
    let inner: Inner
    var run: RunContext { context.run }
    var path: String { context.path }

    init(_ step: StepPlan, _ forEach: ForEach, in context: StepContext, file: StepFile?, _ inner: Inner) {
        self.step = step
        self.forEach = forEach
        self.context = context
        self.file = file
        self.inner = inner
        earlier = context.earlier?.elements(of: context.path)
    }

    /// Executes all elements, as many at once as the limits allow.
    func run() async -> NodeOutcome {
        let source: ElementSource
        do {
            source = try await ElementSource(forEach.elements, in: context)
        } catch {
            return context.failed(step, run.failure(error))
        }
        if let change = change(in: source) {
            let message =
                "\(change), so the step is not executed; restore the list and resume again, or start a new run"
            return context.refused(step, Failure(.input, run.redactor.text(message), at: forEach.span))
        }
        var result = StepResult(step, at: path, graph: context.graph, outcome: .passed)
        result.startedAt = .now()
        let start = run.activeTime
        run.events.emit(.stepStarted, step: path)
        let elements = step.shard?.range(of: source.count) ?? 0..<source.count
        let list = step.shard.map { _ in source.divided(from: elements.lowerBound) }
        run.events.emit(.elementsStarted(count: elements.count, of: list), step: path)
        file?.start(with: elements)
        var summary = await execute(elements, of: source)
        // Without a file here, the step either writes none or finished it before the run was resumed.
        let written =
            if let file { await finish(file, &summary) } else {
                context.earlier?.written(path)
            }
        result.elements = summary.results
        result.elements?.responseTimes = run.responseTimes.withLock { $0.removeValue(forKey: path)?.figures }
        result.attempts = summary.attempts
        result.time = PhaseTimes(total: run.activeTime - start)
        var record = summary.record
        if step.keeps.contains(.written) { record.written = written.map(RunEvent.WrittenFile.json) }
        let use: RunEvent.KeptRecord.Use = summary.isPartlyUnsure ? .partly : .taken
        var kept = record.kept(use, redactor: run.redactor)
        if summary.outcome == .passed, written == nil, let passed = context.deadline?.passed {
            // Encoding the items took longer than the step has.
            summary.fail(passed)
            record = StepRecord(isPassed: false, error: passed.inExpressions)
            kept = record.kept(use, redactor: run.redactor)
        }
        result.failure = summary.failure
        result.outcome = summary.outcome
        run.events.emit(.stepFinished(result, kept: kept), step: path)
        context.keep(record, of: step)
        return NodeOutcome(end: summary.end, steps: [result], failure: summary.failure, use: use)
    }

    private func execute(_ elements: Range<Int>, of source: ElementSource) async -> ForEachSummary {
        let concurrency = forEach.concurrency?.value ?? step.concurrency ?? run.executor.plan.concurrency
        let ledger = ElementLedger(
            ForEachState(elements, concurrency: concurrency, mode: step.onFailure),
            ForEachSummary(
                mode: step.onFailure,
                isTolerated: context.tolerates(step),
                isToleratedOutside: context.toleratesAround(step),
                keepsItems: step.keeps.contains(.items)
            )
        )
        return await withTaskGroup(of: Void.self, returning: ForEachSummary.self) { tasks in
            func startMore() {
                while let index = ledger.state.withLock({ start(&$0, of: source) }) {
                    tasks.addTask { await executeInOrder(from: index, of: source, ledger) }
                }
            }
            startMore()
            while await tasks.next() != nil {
                if ledger.state.withLock({ $0.cancelsRunning }) { tasks.cancelAll() }
                startMore()
            }
            return ledger.state.withLock { state in
                state.summary.skip(elements.upperBound - state.order.next, isFileBroken: file?.isBroken ?? false)
                return state.summary
            }
        }
    }

    /// Executes elements one after another in the current task, starting with the first. Returns when there is room
    /// for further tasks.
    private func executeInOrder(from first: Int, of source: ElementSource, _ ledger: ElementLedger) async {
        var next: Int? = first
        while let index = next {
            let element = await executeAlone(index, of: source)
            if context.isInElement { run.nestedElements.ended() }
            next = ledger.state.withLock { state in
                add(finish(element), &state)
                // A task that was cancelled with its element starts no other element.
                return state.order.freeSlots == 1 && !state.cancelsRunning ? start(&state, of: source) : nil
            }
        }
    }

    /// The element to start now, if any. The results of elements that finished before the run was resumed are kept.
    private func start(_ state: inout ElementLedger.State, of source: ElementSource) -> Int? {
        while context.mayStart, file?.hasRoom ?? true, hasRoomAmongNested(state.order), let index = state.order.start()
        {
            let isLost = file?.loss?.elements.contains(index) ?? false
            guard !isLost, let before = earlier?.elements[index] else {
                if context.isInElement { run.nestedElements.started() }
                return index
            }
            add(take(before, at: index, of: source), &state)
        }
        return nil
    }

    private func hasRoomAmongNested(_ order: ForEachState) -> Bool {
        !context.isInElement || order.running == 0 || run.nestedElements.hasRoom
    }

    private func add(_ element: ElementOutcome, _ state: inout ElementLedger.State) {
        if state.order.finished(element.index, hasFailed: element.end == .failed) { state.cancelsRunning = true }
        if file?.isBroken ?? false || [.cancelled, .skipped(.interrupted), .refused].contains(element.end) {
            state.order.stop()
        }
        state.summary.add(element, outcome(of: element))
    }

    /// Moves the file to its path, unless records are missing because of a failure that is not tolerated, or no element had
    /// a response to write. The records of a shard stay in the unfinished file until the shards are merged.
    private func finish(
        _ file: StepFile,
        _ summary: inout ForEachSummary
    ) async -> [RunEvent.WrittenFile]? {
        guard [.passed, .tolerated].contains(summary.outcome) else { return nil }
        if summary.outcome == .passed, !file.isPartlyReplaced, let passed = context.deadline?.passed {
            summary.fail(passed)
            return nil
        }
        do throws(Failure) {
            if step.shard == nil { return file.discardUnused() ? nil : try await file.commit() }
            try await file.completeShard()
            return nil
        } catch {
            if error.kind == .cancelled, let passed = context.deadline?.passed {
                summary.fail(passed)
            } else {
                if error.kind == .cancelled { summary.interrupt() }
                summary.fail(error)
            }
            return nil
        }
    }
}

/// The state that the tasks share.
private final class ElementLedger: Sendable {
    struct State {
        var order: ForEachState
        var summary: ForEachSummary
        /// Whether the running elements must be cancelled.
        var cancelsRunning = false
    }

    let state: Mutex<State>

    init(_ order: ForEachState, _ summary: ForEachSummary) {
        state = Mutex(State(order: order, summary: summary))
    }
}

extension StepPlan {
    /// Whether executing the step twice, once or for an element, has no further effect.
    var isIdempotent: Bool {
        guard case .request(let request) = work else { return true }
        return request.isIdempotent()
    }

    /// The maximum number of elements at once by the settings of the step.
    fileprivate var concurrency: Int? {
        guard case .group(let group) = work, group.order == .chain else { return nil }
        return group.concurrency
    }
}
