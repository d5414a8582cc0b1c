import WaybillResults

extension Run {
    /// What became of one step.
    public struct Step: Sendable, Equatable {
        private let result: StepResult

        init(_ result: StepResult) {
            self.result = result
        }

        /// Its id, unique in its graph.
        public var id: String { result.id }

        /// The name that its author gave it.
        public var name: String? { result.name }

        /// Where it stands: the graph and the ids down to it, as in `main.both.schedule`.
        public var path: String { result.path }

        /// The graph that it belongs to.
        public var graph: String { result.graph }

        /// The endpoint that it calls, if it calls a named one.
        public var endpoint: String? { result.endpoint }

        /// How it ended.
        public var outcome: StepOutcome { StepOutcome(result.outcome) }

        /// How often its request was tried; 0 where none was sent.
        public var attempts: Int { result.attempts }

        /// The status of the last response.
        public var status: Int? { result.status }

        /// How the cache took part in the last response; nil if the request did not use it.
        public var cache: CacheUse? { result.cache.map(CacheUse.init) }

        /// The method of its last request.
        public var method: String? { result.method }

        /// The address of its last request, with secrets masked.
        public var url: String? { result.url?.string }

        /// When it began; `nil` for a step that was skipped.
        public var startedAt: Moment? { result.startedAt.map(Moment.init) }

        /// How long it took: of a request the last attempt, otherwise the whole step.
        public var times: Times? { result.time.map(Times.init) }

        /// The bytes of the messages of all its attempts.
        public var bytes: Bytes? { result.bytes.map(Bytes.init) }

        /// Why it failed.
        public var failure: StepFailure? { result.failure.map(StepFailure.init) }

        /// How its elements ended, when it has `forEach`.
        public var elements: Elements? { result.elements.map(Elements.init) }
    }

    /// How the cache took part in a response.
    public enum CacheUse: String, Sendable {
        /// The response came from the cache, and nothing was sent.
        case hit
        /// The server confirmed the stored response.
        case revalidated
        /// The response came from the server.
        case miss

        init(_ use: WaybillResults.CacheUse) {
            self =
                switch use {
                case .hit: .hit
                case .revalidated: .revalidated
                case .miss: .miss
                }
        }
    }

    /// How the elements of a step with `forEach` ended.
    public struct Elements: Sendable, Equatable {
        private let results: ElementResults

        init(_ results: ElementResults) {
            self.results = results
        }

        /// How many ended in each way.
        public var counts: Counts { Counts(results.counts) }

        /// The first hundred failures: the element's index in the list, from 0, the address of its request where one was
        /// built, with secrets masked, and the reason.
        public var failures: [(element: Int, url: String?, failure: StepFailure)] {
            results.failures.map { ($0.element, $0.subject.url?.string, StepFailure($0.failure)) }
        }
    }
}
