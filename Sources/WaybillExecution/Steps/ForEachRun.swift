import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults

/// A step that is done for each element of a list.
struct ForEachRun: Sendable {
    private let step: StepPlan
    private let forEach: ForEach
    private let frame: Frame
    private var run: RunContext { frame.run }

    init(_ step: StepPlan, _ forEach: ForEach, in frame: Frame) {
        self.step = step
        self.forEach = forEach
        self.frame = frame
    }

    /// What came of one element.
    private struct ElementRun: Sendable {
        var index: Int
        var end: NodeRun.End
        var failure: Failure?
        var record: ElementRecord?
    }

    /// Runs all elements, side by side as far as they may be.
    func run() async -> NodeRun {
        let path = frame.path(of: step)
        let source: ElementSource
        do {
            source = try await ElementSource(forEach.elements, in: frame, at: path)
        } catch {
            return frame.failed(step, run.failure(error))
        }
        var result = StepResult(step, at: path, graph: frame.graph, outcome: .passed)
        result.startedAt = .now()
        let began = run.clock.now
        run.events.emit(.stepStarted, step: path)
        let summary = await runElements(of: source)
        result.elements = summary.results
        result.time = PhaseTimes(total: run.clock.now - began)
        result.failure = summary.failure
        result.outcome = summary.outcome(isTolerated: step.isTolerated)
        run.events.emit(.stepFinished(result), step: path)
        if let id = step.id { frame.steps.keep(summary.record(of: step, result), of: id) }
        return NodeRun(end: summary.end, steps: [result], failure: summary.failure)
    }

    private func runElements(of source: ElementSource) async -> ForEachSummary {
        let concurrency = forEach.concurrency?.value ?? step.concurrency ?? run.concurrency
        return await withTaskGroup(of: ElementRun.self) { tasks in
            var state = ForEachState(count: source.count, concurrency: concurrency, mode: step.onFailure)
            var summary = ForEachSummary(mode: step.onFailure, keepsItems: step.keeps.contains(.items))
            func beginMore() {
                while frame.mayBegin, let index = state.begin() {
                    tasks.addTask {
                        let path = "\(frame.path(of: step))[\(index)]"
                        return await run.control.run(step: path, endpoint: step.endpoint) {
                            await run(index, of: source)
                        }
                    }
                }
            }
            beginMore()
            while let element = await tasks.next() {
                let hasFailed = element.end == .failed
                if state.ended(element.index, hasFailed: hasFailed) { tasks.cancelAll() }
                if element.end == .cancelled || element.end == .skipped(.interrupted) { state.stop() }
                summary.add(element.index, element.end, element.failure, element.record, isTolerated: step.isTolerated)
                beginMore()
            }
            summary.skip(source.count - state.next)
            return summary
        }
    }

    private func run(_ index: Int, of source: ElementSource) async -> ElementRun {
        let element: ScopeValue
        do {
            element = try source.element(index)
        } catch {
            let failure = run.failure(error)
            return finish(ElementRun(index: index, end: .failed, failure: failure))
        }
        let inner = frame.element(index, of: step, forEach.variable.value, element)
        let path = "\(frame.path(of: step))[\(index)]"
        let node = await inner.runOnce(step, at: path)
        var record: ElementRecord?
        if step.keeps.contains(.items) {
            record = ElementRecord(item: element, record: step.id.flatMap { inner.steps.record(of: $0) })
        }
        return finish(ElementRun(index: index, end: node.end, failure: node.failure, record: record))
    }

    private func finish(_ element: ElementRun) -> ElementRun {
        let outcome: StepOutcome =
            switch element.end {
            case .passed, .ended: .passed
            case .failed: step.isTolerated ? .tolerated : .failed
            case .cancelled: .cancelled
            case .skipped: .skipped
            }
        run.events.emit(
            .elementFinished(.init(element: element.index, outcome: outcome, failure: element.failure)),
            step: frame.path(of: step)
        )
        return element
    }
}

extension StepPlan {
    /// The greatest number of the elements at once that the step's own settings allow.
    fileprivate var concurrency: Int? {
        guard case .group(let group) = work, group.order == .chain else { return nil }
        return group.concurrency
    }
}
