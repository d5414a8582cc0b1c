import WaybillResults

extension Run {
    /// Something that happened in a run. Secrets are masked in all of its texts.
    public struct Event: Sendable, Equatable {
        private let event: RunEvent

        /// How many events before this one were left out, because they were read more slowly than they came.
        public let missedBefore: Int

        init(_ event: RunEvent, missedBefore: Int) {
            self.event = event
            self.missedBefore = missedBefore
        }

        /// Its number in the run, from 1; a run that is resumed goes on counting.
        public var number: Int { event.seq }

        /// When it happened.
        public var moment: Moment { Moment(event.at) }

        /// The path of the step that it happened in, such as `main.items[3]`.
        public var step: String? { event.step }

        /// What happened.
        public var kind: Kind { Kind(event.kind) }

        /// The stable name of what happened, such as `step.finished`, as in `events.ndjson`.
        public var type: String { event.kind.type }

        /// The event as `schemas/event.schema.json` describes it.
        public var value: Value { Value(event.json) }
    }
}

extension Run.Event: CustomStringConvertible {
    /// The event as a line of `events.ndjson`.
    public var description: String { value.description }
}
