import WaybillResults

extension Run {
    /// The result of a step.
    public struct Step: Sendable, Equatable {
        let result: StepResult

        /// The id, unique in its graph.
        public var id: String { result.id }

        /// The name from the manifest.
        public var name: String? { result.name }

        /// The path of the step: the graph and the ids down to it, such as `main.both.schedule`.
        public var path: String { result.path }

        /// The graph that it belongs to.
        public var graph: String { result.graph }

        /// The endpoint that it calls, if it calls a named one.
        public var endpoint: String? { result.endpoint }

        /// What it consists of, if it is a chain, a batch or a graph. Such a step is counted in the run's counts only if
        /// it has a failure of its own.
        public var group: Group? { result.group }

        /// The outcome.
        public var outcome: StepOutcome { result.outcome }

        /// The number of attempts of its request; 0 if none was sent.
        public var attempts: Int { result.attempts }

        /// The status of the last response.
        public var status: Int? { result.status }

        /// How the last response used the cache; `nil` if the request did not use it.
        public var cache: CacheUse? { result.cache }

        /// The method of its last request.
        public var method: String? { result.method }

        /// The URL of its last request, with secrets masked.
        public var url: String? { result.url?.string }

        /// When it started; `nil` for a step that was skipped.
        public var startedAt: Moment? { result.startedAt }

        /// How long it took: for a request, the last attempt; otherwise the whole step.
        public var times: Times? { result.time }

        /// The number of bytes of the messages of all attempts.
        public var bytes: Bytes? { result.bytes }

        /// Why it failed.
        public var failure: StepFailure? { result.failure.map(StepFailure.init) }

        /// The results of its elements, if it has `forEach`.
        public var elements: Elements? { result.elements.map(Elements.init) }
    }

    /// The results of the elements of a step with `forEach`.
    public struct Elements: Sendable, Equatable {
        let results: ElementResults

        /// The number of elements by outcome.
        public var counts: Counts { results.counts }

        /// The first hundred failures: the index of the element in the list, from 0, the URL of its request if one was
        /// made, with secrets masked, and the reason.
        public var failures: [(element: Int, url: String?, failure: StepFailure)] {
            results.failures.map { ($0.element, $0.subject.url?.string, StepFailure(failure: $0.failure)) }
        }
    }
}
