// Functions of the C library for files, with strings and values where the library has pointers. Like those, they return a
// negative number if they fail, and `errno` has the reason.

/// Opens a file, as `open` does.
package func open(_ path: String, _ flags: Int32, _ permissions: UInt32 = 0) -> Int32 {
    path.withCString { open($0, flags, mode_t(permissions)) }
}

/// Inspects an open file, as `fstat` does.
package func fstat(_ descriptor: Int32, _ status: inout stat) -> Int32 {
    withUnsafeMutablePointer(to: &status) { fstat(descriptor, $0) }
}

/// Inspects a file, as `stat` does.
package func stat(_ path: String, _ status: inout stat) -> Int32 {
    withUnsafeMutablePointer(to: &status) { status in path.withCString { stat($0, status) } }
}

/// Inspects a file or a symbolic link, as `lstat` does.
package func lstat(_ path: String, _ status: inout stat) -> Int32 {
    withUnsafeMutablePointer(to: &status) { status in path.withCString { lstat($0, status) } }
}

/// Removes a file, as `unlink` does.
@discardableResult
package func unlink(_ path: String) -> Int32 { path.withCString { unlink($0) } }

/// Returns the value of an environment variable; `nil` if it is not set.
package func environmentVariable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
