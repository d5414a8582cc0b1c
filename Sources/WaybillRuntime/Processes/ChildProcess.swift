import Synchronization
import WaybillPlatform

/// A program that runs in a process of its own until it ends, and what it wrote.
///
/// It has a process group of its own and no standard input. The group is ended when the program takes too long, when its
/// output is too long, and when the waiting task is cancelled.
package struct ChildProcess: Sendable {
    /// How a program ended.
    package enum End: Sendable, Equatable {
        /// By itself, with a status.
        case status(Int32)
        case signal(Int32)
        /// It was ended because it took too long.
        case timeout
        /// It was ended because its output has more bytes than the limit.
        case outputLimit
        /// It was ended because it was stopped by a signal: it probably waited for the terminal.
        case stopped
        /// It was ended because the waiting task was cancelled.
        case cancelled
        /// It could not be started.
        case notStarted(SystemError)
    }

    /// The maximum number of bytes of `errors`, the last ones.
    private static let errorLimit = 4096
    /// How long a program may take to end after SIGTERM, before SIGKILL.
    private static let patience = Duration.seconds(1)

    /// How it ended.
    package private(set) var end = End.cancelled
    /// What it wrote to its standard output.
    package private(set) var output: [UInt8] = []
    /// The end of what it wrote to its standard error.
    package private(set) var errors: [UInt8] = []

    /// Starts a program, and waits until it has ended.
    ///
    /// - Parameters:
    ///   - arguments: The name of the program, and its arguments. A name without `/` is searched in the folders of the
    ///     variable `PATH`; another one is relative to the folder.
    ///   - folder: The folder that it runs in.
    ///   - variables: Its environment variables.
    ///   - limit: The maximum number of bytes of its output.
    package init(
        running arguments: [String],
        in folder: String,
        variables: [String: String],
        timeout: Duration,
        outputLimit limit: Int
    ) async {
        guard let interruption = try? Interruption() else {
            end = .notStarted(.last)
            return
        }
        let process = await withTaskCancellationHandler {
            await BlockingCall.run {
                var process = ChildProcess()
                process.run(arguments, in: folder, variables, until: .now + timeout, limit, interruption)
                return process
            }
        } onCancel: {
            interruption.interrupt()
        }
        self = process ?? ChildProcess(end: .notStarted(SystemError(EAGAIN)))
    }

    private init(end: End = .cancelled) { self.end = end }

    /// Returns the absolute path of the program with a name; `nil` if no file with the name can be executed.
    private static func path(of name: String, in folder: String, _ variables: [String: String]) -> String? {
        let candidates =
            name.utf8.contains(UInt8(ascii: "/"))
            ? [FileContents.path(name, in: folder)]
            : (variables["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
        let found = candidates.first { (try? FileStatus(of: $0))?.kind == .file && access($0, X_OK) == 0 }
        // A program may behave differently under the name that a link to it leads to.
        return found.flatMap { path in
            FileContents.canonicalPath(FileContents.folder(of: path)).map { "\($0)/\(FileContents.name(of: path))" }
        }
    }

    private mutating func run(
        _ arguments: [String],
        in folder: String,
        _ variables: [String: String],
        until deadline: ContinuousClock.Instant,
        _ limit: Int,
        _ interruption: Interruption
    ) {
        guard !arguments.contains(where: { $0.utf8.contains(0) }) else { return end = .notStarted(SystemError(EINVAL)) }
        guard let program = Self.path(of: arguments[0], in: folder, variables) else {
            return end = .notStarted(.noSuchFile)
        }
        guard let streams = (try? (PipeEnds(), PipeEnds())) else { return end = .notStarted(.last) }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for string in argv + envp { free(string) } }
        var process = pid_t()
        let code = waybill_start(
            &process,
            program,
            &argv,
            &envp,
            folder,
            streams.0.writable,
            streams.1.writable
        )
        guard code == 0 else { return end = .notStarted(SystemError(code)) }
        streams.0.closeWritable()
        streams.1.closeWritable()
        end = wait(for: process, streams.0, streams.1, until: deadline, limit, interruption)
    }

    /// Reads what a process writes until it has ended. A process that it started may keep the pipes open.
    private mutating func wait(
        for process: pid_t,
        _ output: PipeEnds,
        _ errors: PipeEnds,
        until deadline: ContinuousClock.Instant,
        _ limit: Int,
        _ interruption: Interruption
    ) -> End {
        while true {
            let state = Self.state(of: process)
            output.read { self.output += $0 }
            errors.read { self.errors = ($0.count < Self.errorLimit ? self.errors + $0 : $0).suffix(Self.errorLimit) }
            if self.output.count > limit { return Self.finish(process, state, because: .outputLimit) }
            switch state {
            case .running: break
            case .ended(let end): return end
            case .stopped: return Self.finish(process, state, because: .stopped)
            }
            if interruption.isInterrupted { return Self.finish(process, state, because: .cancelled) }
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { return Self.finish(process, state, because: .timeout) }
            var sources = [output.readable, errors.readable, interruption.descriptor]
                .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // The end of a process makes no descriptor readable if others have its pipes.
            let mayEndUnnoticed: Duration = output.isOpen && errors.isOpen ? .milliseconds(100) : .milliseconds(5)
            _ = poll(
                &sources,
                nfds_t(sources.count),
                Int32((min(left, mayEndUnnoticed) / .milliseconds(1)).rounded(.up))
            )
        }
    }

    private enum State { case running, stopped, ended(End) }

    private static func state(of process: pid_t) -> State {
        var status: Int32 = 0
        let found = waitpid(process, &status, WNOHANG | WUNTRACED)
        if found == 0 || found < 0 && errno == EINTR { return .running }
        // Something else in this process has waited for it.
        if found < 0 { return .ended(.status(-1)) }
        switch status & 0x7F {
        case 0: return .ended(.status(status >> 8 & 0xFF))
        case 0x7F: return .stopped
        case let signal: return .ended(.signal(signal))
        }
    }

    /// Ends the group of a process, which may have ended itself, and returns the reason.
    private static func finish(_ process: pid_t, _ state: State, because reason: End) -> End {
        var state = state
        let end = ContinuousClock.now + patience
        // A stopped process receives SIGTERM only when it continues.
        for signal in [SIGTERM, SIGCONT] { kill(-process, signal) }
        while ContinuousClock.now < end {
            if case .ended = state { break }
            usleep(5000)
            state = self.state(of: process)
        }
        kill(-process, SIGKILL)
        if case .ended = state { return reason }
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
        return reason
    }
}

/// The two ends of a pipe. Only the process that it is given to writes to it.
private final class PipeEnds {
    private(set) var readable: Int32 = -1
    private(set) var writable: Int32 = -1

    var isOpen: Bool { readable >= 0 }

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .last }
        (readable, writable) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(readable, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if readable >= 0 { close(readable) }
        closeWritable()
    }

    func closeWritable() {
        if writable >= 0 { close(writable) }
        writable = -1
    }

    /// Reads what has arrived, at most 64 KiB, and closes the pipe at its end.
    func read(_ take: ([UInt8]) -> Void) {
        guard isOpen, let bytes = try? OpenFile.read(64 << 10, from: readable) else { return }
        guard bytes.isEmpty else { return take(bytes) }
        close(readable)
        readable = -1
    }
}

/// Interrupts a thread that waits for a descriptor.
final class Interruption: Sendable {
    private let wakeUp: WakeUp
    private let flag = Atomic(false)

    var descriptor: Int32 { wakeUp.descriptor }
    var isInterrupted: Bool { flag.load(ordering: .acquiring) }

    init() throws(SystemError) { wakeUp = try WakeUp() }

    func interrupt() {
        flag.store(true, ordering: .releasing)
        wakeUp.signal()
    }
}
