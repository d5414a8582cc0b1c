import WaybillDiagnostics
import WaybillPlatform

/// The limits of the system without which the program cannot start. Swift's runtime and libdispatch do not report that
/// they cannot open a file or start a thread: they crash or wait forever.
enum SystemLimits {
    /// The open files of a run without requests, in addition to those that the program was started with.
    private static let files = 32
    /// The threads of a run, in addition to the first one: those that it starts, and one of libdispatch for each
    /// processor.
    private static let threads = 10 + max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    /// The limit of threads from which on they are not tried out, because that takes 50 µs for each.
    private static let plentyOfThreads: rlim_t = 1024

    /// Returns an error if the program cannot open enough files or start enough threads.
    static func shortage() -> Diagnostic? {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        while opened.count < files {
            let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else {
                return error("open \(files) files", errno, "the limit of open files (ulimit -n)")
            }
            opened.append(descriptor)
        }
        var limit = rlimit()
        guard waybill_get_thread_limit(&limit) == 0, limit.rlim_cur < plentyOfThreads else { return nil }
        let failure = waybill_try_threads(Int32(threads))
        guard failure != 0 else { return nil }
        return error("start \(threads) threads", failure, "the limit of processes and threads (ulimit -u)")
    }

    private static func error(_ action: String, _ number: Int32, _ limit: String) -> Diagnostic {
        Diagnostic(
            "run-error",
            "could not \(action): \(String(cString: strerror(number)))",
            at: nil,
            help: ["Raise \(limit)."]
        )
    }
}
