#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What brings the bytes of files to rest. Tests put another one in its place, to see when that is done or to have it fail.
struct Disk: Sendable {
    /// Waits until what was written to the open file at a path is on the disk; gives an errno, or 0.
    let sync: @Sendable (_ descriptor: Int32, _ path: String) -> Int32

    /// The disk of the machine.
    static let real = Disk { descriptor, _ in fsync(descriptor) == 0 ? 0 : errno }
}
