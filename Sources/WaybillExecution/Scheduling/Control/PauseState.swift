/// What of a run is held up: all of it, some steps, or nothing.
struct PauseState: Sendable {
    /// Whether the whole run is paused.
    private(set) var isRunPaused = false
    private var steps: [String] = []

    /// Nothing is held up.
    init() {}

    /// Whether a step is held up, by itself or with what it is in.
    func holds(_ path: String) -> Bool {
        isRunPaused || steps.contains { StepPath.isInside(path, $0) }
    }

    /// Holds up a step, or the run; `false` when it is held up already.
    mutating func pause(_ step: String?) -> Bool {
        guard let step else {
            defer { isRunPaused = true }
            return !isRunPaused
        }
        guard !steps.contains(step) else { return false }
        steps.append(step)
        return true
    }

    /// Lets a step, or the run, go on; `false` when that was not held up. What was held up by itself stays so when the
    /// run goes on, and the other way round.
    mutating func unpause(_ step: String?) -> Bool {
        guard let step else {
            defer { isRunPaused = false }
            return isRunPaused
        }
        guard let index = steps.firstIndex(of: step) else { return false }
        steps.remove(at: index)
        return true
    }

    /// Lets everything go on; what was held up, `nil` for the run.
    mutating func end() -> [String?] {
        let held = (isRunPaused ? [nil] : []) + steps.map(Optional.some)
        self = PauseState()
        return held
    }
}
