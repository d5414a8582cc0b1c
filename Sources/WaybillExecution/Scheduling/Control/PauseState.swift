/// What is paused in a run: all of it, some steps, or nothing.
struct PauseState: Sendable {
    /// Whether the whole run is paused.
    private(set) var isRunPaused = false
    private var steps: [String] = []

    /// Whether a step is paused, by itself or with the run or a step that contains it.
    func holds(_ path: String) -> Bool {
        isRunPaused || steps.contains { StepPath.isInside(path, $0) }
    }

    /// Pauses a step, or the run for `nil`; returns `false` if it is already paused.
    mutating func pause(_ step: String?) -> Bool {
        guard let step else {
            defer { isRunPaused = true }
            return !isRunPaused
        }
        guard !steps.contains(step) else { return false }
        steps.append(step)
        return true
    }

    /// Unpauses a step, or the run for `nil`; returns `false` if it was not paused. Unpausing the run does not unpause
    /// a step that was paused by itself, and vice versa.
    mutating func unpause(_ step: String?) -> Bool {
        guard let step else {
            defer { isRunPaused = false }
            return isRunPaused
        }
        guard let index = steps.firstIndex(of: step) else { return false }
        steps.remove(at: index)
        return true
    }

    /// Unpauses everything; returns what was paused, `nil` for the run.
    mutating func end() -> [String?] {
        let held = (isRunPaused ? [nil] : []) + steps.map(Optional.some)
        self = PauseState()
        return held
    }
}
