/// Somebody who is told what happens in a run: a progress display, a reporter, the caller's own code.
package protocol RunObserver: Sendable {
    /// Takes an event. Events come one at a time and in the order of their numbers; the run waits meanwhile, so what
    /// takes long has to be done elsewhere.
    func receive(_ event: RunEvent)
}
