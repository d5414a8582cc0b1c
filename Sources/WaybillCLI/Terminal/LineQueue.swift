import Dispatch
import Synchronization

/// Writes lines to standard output on its own thread, so that a slow or stopped reader does not delay the code that
/// adds them. Lines that exceed the buffer are dropped and counted.
final class LineQueue: Sendable {
    private struct State {
        var text = ""
        var leftOut = 0
        var isWriting = false
    }

    private static let mostBytes = 1 << 20

    private let output: Output
    private let queue = DispatchQueue(label: "lines")
    private let writing = DispatchGroup()
    private let state = Mutex(State())

    /// Creates an empty queue.
    init(_ output: Output) {
        self.output = output
    }

    /// Adds a line, without a line break at its end.
    func add(_ line: String) {
        let starts = state.withLock { state -> Bool in
            guard state.text.utf8.count + line.utf8.count < Self.mostBytes else {
                state.leftOut += 1
                return false
            }
            state.text += line + "\n"
            guard !state.isWriting else { return false }
            state.isWriting = true
            writing.enter()
            return true
        }
        if starts { queue.async { [self] in writeAll() } }
    }

    /// Waits until all lines are written, but no longer than a second.
    func finish() {
        _ = writing.wait(timeout: .now() + .seconds(1))
    }

    private func writeAll() {
        while let text = takeText() { output.write(text) }
        writing.leave()
    }

    /// Removes and returns the text to write next; `nil` if there is none, and the next line that is added starts
    /// writing again.
    private func takeText() -> String? {
        state.withLock { state in
            guard !state.text.isEmpty else {
                state.isWriting = false
                return nil
            }
            var text = state.text
            if state.leftOut > 0 { text += "(dropped \(state.leftOut) lines: they were not read fast enough)\n" }
            (state.text, state.leftOut) = ("", 0)
            return text
        }
    }
}
