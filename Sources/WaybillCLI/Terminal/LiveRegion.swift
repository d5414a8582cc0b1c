import WaybillDiagnostics
import WaybillPlatform

/// The size of a terminal, in characters.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int
}

extension TerminalSize {
    /// Reads the current size of the terminal that a descriptor refers to; `nil` if it does not refer to a terminal.
    init?(of descriptor: Int32) {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        let isKnown = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isKnown ? Int(size.ws_col) : 80
        rows = isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24
    }
}

/// The last lines on a terminal, which show the running steps and are redrawn as they change. Everything else is
/// written above them.
///
/// This value returns what to write, and writes nothing itself.
struct LiveRegion {
    /// Returns the lines of a run, for a terminal of some size.
    typealias Source = @Sendable (TerminalSize) -> [StyledText]

    private var sources: [(id: ObjectIdentifier, lines: Source)] = []
    /// The widths of the lines that are on the screen.
    private var drawn: [Int] = []

    /// Whether there is anything to draw.
    var isActive: Bool { !sources.isEmpty }
    /// Whether there are lines on the screen.
    var isDrawn: Bool { !drawn.isEmpty }

    /// Adds the lines of a run.
    mutating func add(_ id: ObjectIdentifier, _ lines: @escaping Source) { sources.append((id, lines)) }

    /// Removes the lines of a run.
    mutating func remove(_ id: ObjectIdentifier) { sources.removeAll { $0.id == id } }

    /// Returns the control sequences that erase the lines from the screen and move the cursor to where the first one
    /// started.
    ///
    /// A terminal that has become narrower since the lines were drawn has wrapped them.
    mutating func erasing(_ size: TerminalSize) -> String {
        guard !drawn.isEmpty else { return "" }
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / size.columns) }
        drawn = []
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }

    /// Returns the text that draws the lines, after `erasing`. The cursor stays at the end of the last one.
    mutating func drawing(_ size: TerminalSize) -> String {
        guard isActive else { return "" }
        // Some rows are left for what the run prints.
        let room = max(1, min(size.rows / 2, 12))
        let lines = sources.flatMap {
            $0.lines(TerminalSize(columns: size.columns, rows: max(1, room / sources.count)))
        }
        let shown = lines.suffix(max(1, size.rows - 1))
        drawn = shown.map(\.width)
        return shown.map(\.text).joined(separator: "\n")
    }
}
