import WaybillDiagnostics
import WaybillPlatform
import WaybillRuntime

/// The arguments of the program.
enum ProgramArguments {
    /// The arguments without the program's name.
    ///
    /// These are the arguments that the system passed to the program. Swift's `CommandLine` reads them from `/proc` on
    /// Linux, and is empty if that is not readable.
    static var words: [String] {
        unsafe arguments { unsafe String(cString: $0) } ?? Array(CommandLine.arguments.dropFirst())
    }

    /// The first argument that is not UTF-8, with U+FFFD for what is not. As a string, it would name another file than
    /// the user has named.
    static var firstBeyondUTF8: String? {
        unsafe arguments { unsafe String(validatingCString: $0) == nil ? String(cString: $0) : nil }?.first
    }

    private static func arguments(_ text: (UnsafePointer<CChar>) -> String?) -> [String]? {
        let count = Int(waybill_argument_count())
        guard count > 0 else { return nil }
        return (1..<max(1, count)).compactMap { index in unsafe waybill_argument(Int32(index)).flatMap(text) }
    }
}

/// The three standard streams.
enum StandardStreams {
    /// Opens `/dev/null` for each stream that was closed when the program started. Otherwise the next file that is
    /// opened would take the number of a standard stream, and output would go there. Writing to a standard output that
    /// was closed fails, as in other programs, because the output is lost.
    static func open() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            guard fcntl(descriptor, F_GETFD) < 0, errno == EBADF else { continue }
            // Takes the lowest free number, which is this one.
            _ = unsafe openat(AT_FDCWD, "/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }
}

/// The limits of the system without which the program cannot start. Swift's runtime and libdispatch do not report that
/// they cannot open a file or start a thread: they crash or wait forever.
enum SystemLimits {
    /// The open files of a run without requests, in addition to those that the program was started with.
    private static let files = 32
    /// The threads of a run, in addition to the first one: those that it starts, and one of libdispatch for each
    /// processor.
    private static let threads = 12 + max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// The bytes of memory of a run with 64 requests at once, over HTTP/2 or TLS, without their bodies.
    private static let memory = 256 << 20

    /// The bytes of the stack of a thread. Values that are nested as deeply as the limits allow need less.
    private static let stack = 2 << 20

    /// Returns an error if the program cannot open enough files, or cannot start enough threads with enough stack.
    static func shortage() -> Diagnostic? {
        guard waybill_raise_stacks(stack) else {
            return error("use a stack of \(stack >> 20) MiB", ENOMEM, "the limit of stacks (ulimit -s)")
        }
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < files {
            let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else {
                return error("open \(files) files", errno, "the limit of open files (ulimit -n)")
            }
            opened.append(descriptor)
        }
        guard waybill_threads_may_fail() else { return nil }
        let failure = waybill_try_threads(Int32(threads), memory)
        guard failure != 0 else { return nil }
        return error(
            "start \(threads) threads and use \(memory >> 20) MiB of memory",
            failure,
            "the limits of processes, threads and memory (ulimit -u, -v and -d)"
        )
    }

    private static func error(_ action: String, _ number: Int32, _ limit: String) -> Diagnostic {
        Diagnostic(
            "run-error",
            "could not \(action): \(SystemError(number).description)",
            at: nil,
            help: ["Raise \(limit)."]
        )
    }
}
