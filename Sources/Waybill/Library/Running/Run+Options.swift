extension Run {
    /// How a run is carried out, and who is told of it.
    public struct Options: Sendable {
        /// Whether every request is answered from the manifest's `mock` examples, and nothing leaves this machine. A run
        /// that is resumed is answered as it was before, whatever this says.
        public var usesMock: Bool
        /// The path of the file for the states of the graphs; `nil`: one in `waybill-results/state`, and with `usesMock` none.
        public var stateFile: String?
        /// Who is told of every event while the run waits.
        public var observers: [any Observer]
        /// How many events are kept for a loop that reads them more slowly than they come, from 1.
        public var eventCapacity: Int
        /// The paths of steps that are held up from the beginning, until ``Run/unpause(step:)``.
        public var pausedSteps: [String]

        /// Options; see the properties.
        public init(
            usesMock: Bool = false,
            stateFile: String? = nil,
            observers: [any Observer] = [],
            eventCapacity: Int = 16_384,
            pausedSteps: [String] = []
        ) {
            self.usesMock = usesMock
            self.stateFile = stateFile
            self.observers = observers
            self.eventCapacity = eventCapacity
            self.pausedSteps = pausedSteps
        }
    }
}
