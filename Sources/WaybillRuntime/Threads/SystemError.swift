#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An error of a system call.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error's number.
    package let errno: Int32

    /// An error with this number.
    package init(_ errno: Int32) {
        self.errno = errno
    }

    /// There is no file at a path.
    package static let noSuchFile = SystemError(ENOENT)

    /// The error of the call that this thread made last.
    package static var last: SystemError { SystemError(systemErrno()) }

    /// What the system says about the number.
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let text = buffer.baseAddress, strerror_r(errno, text, buffer.count) == 0 else {
                return "error \(errno)"
            }
            return String(cString: text)
        }
    }
}

private func systemErrno() -> Int32 {
    #if canImport(Glibc)
        Glibc.errno
    #else
        Darwin.errno
    #endif
}
