import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A new folder that is removed with all that is in it when the value is dropped.
package struct TemporaryFolder: ~Copyable, Sendable {
    /// Its absolute path, without a slash at the end.
    package let path: String

    /// Makes the folder, open to other users for reading.
    package init() throws {
        var template = Array("/tmp/waybill-test-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { String(cString: $0) } }
        guard let path, chmod(path, 0o755) == 0 else { throw LoopbackError(call: "mkdtemp", errno: errno) }
        self.path = path
    }

    /// Writes a file into the folder.
    package func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
