import Synchronization

/// Writes lines to standard output. Lines that a slow or stopped reader leaves no room for are dropped and counted.
final class LineQueue: Sendable {
    private static let mostBytes = 1 << 20

    private let output: Output
    private let leftOut = Mutex(0)

    /// Creates an empty queue.
    init(_ output: Output) {
        self.output = output
    }

    /// Adds a line, without a line break at its end.
    func add(_ line: String) {
        leftOut.withLock { leftOut in
            guard Output.waitingBytes + line.utf8.count < Self.mostBytes else {
                leftOut += 1
                return
            }
            let note = "(dropped \(leftOut) lines: they were not read fast enough)\n"
            output.write((leftOut > 0 ? note : "") + line + "\n")
            leftOut = 0
        }
    }

    /// Waits until all lines are written, but no longer than a second.
    func finish() {
        Output.finish(within: .seconds(1))
    }
}
