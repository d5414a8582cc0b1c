extension ManifestRun {
    /// An observer that receives every event of a run.
    ///
    /// The calls are made one at a time, in the order of the events, on threads of the run. The run waits for each call,
    /// so do slow work elsewhere. An observer may steer the run from within a call.
    public protocol Observer: Sendable {
        /// Called for every event.
        func receive(_ event: Event)
    }
}
