import WaybillPlatform

/// The three standard streams.
enum StandardStreams {
    /// Opens `/dev/null` for each stream that was closed when the program started. Otherwise the next file that is
    /// opened would take the number of a standard stream, and output would go there. Writing to a standard output that
    /// was closed fails, as in other programs, because the output is lost.
    static func open() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            guard fcntl(descriptor, F_GETFD) < 0, errno == EBADF else { continue }
            // Takes the lowest free number, which is this one.
            _ = openat(AT_FDCWD, "/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }
}
