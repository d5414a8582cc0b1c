import WaybillPlatform

/// An error of a system call.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error's number.
    package let errno: Int32

    /// Creates an error with this number.
    package init(_ errno: Int32) {
        self.errno = errno
    }

    /// The error of a path without a file.
    package static let noSuchFile = SystemError(ENOENT)

    /// Whether it is the error of a lock that another process has.
    package var isOfHeldLock: Bool { errno == EWOULDBLOCK }

    /// The error of this thread's last system call.
    package static var last: SystemError { SystemError(WaybillPlatform.errno) }

    /// The system's description of the error.
    package var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let text = buffer.baseAddress, strerror_r(errno, text, buffer.count) == 0 else {
                return "error \(errno)"
            }
            return String(cString: text) + (errno == EMFILE ? " (ulimit -n)" : "")
        }
    }
}
