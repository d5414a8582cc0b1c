/// Paths of steps, as events have them: `main.items[3].get`.
enum StepPath {
    /// Whether a path is that of a step itself, of one of its elements, or of something inside it.
    static func isInside(_ path: String, _ step: String) -> Bool {
        guard path.utf8.starts(with: step.utf8) else { return false }
        let next = path.utf8.dropFirst(step.utf8.count).first
        return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}
