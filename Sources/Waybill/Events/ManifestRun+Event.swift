import WaybillResults

extension ManifestRun {
    /// An event of a run. Secrets are masked in all of its strings.
    public struct Event: Sendable, Equatable {
        private let event: RunEvent

        /// The number of events that were dropped before this one because they were not read fast enough.
        public let missedBefore: Int

        init(_ event: RunEvent, missedBefore: Int) {
            self.event = event
            self.missedBefore = missedBefore
        }

        /// Creates an event, for tests of code that receives events.
        public init(
            number: Int = 1,
            timestamp: Timestamp = .now(),
            step: String? = nil,
            kind: Kind,
            missedBefore: Int = 0
        ) {
            self.init(
                RunEvent(seq: number, at: timestamp, step: step, kind: RunEvent.Kind(kind)),
                missedBefore: missedBefore
            )
        }

        /// The number of the event in the run, from 1. A resumed run continues the count.
        public var number: Int { event.seq }

        /// When it happened.
        public var timestamp: Timestamp { event.at }

        /// The path of the step that it happened in, such as `main.items[3]`.
        public var step: String? { event.step }

        /// What happened.
        public var kind: Kind { Kind(event.kind) }

        /// The stable name of the event's type, such as `step.finished`, as in `events.ndjson`.
        public var type: String { event.kind.type }

        /// The event in the format of `schemas/event.schema.json`.
        public var value: JSONValue { JSONValue(event.json) }
    }
}

extension ManifestRun.Event: CustomStringConvertible {
    /// The event as a line of `events.ndjson`.
    public var description: String { value.description }
}
