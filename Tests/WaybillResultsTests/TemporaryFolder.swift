#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A new folder that goes away with its object.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/waybill-test-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
    }

    deinit {
        empty(path)
        rmdir(path)
    }

    /// Never goes across a link: `unlink` takes links away, and only what it refuses is gone into.
    private func empty(_ folder: String) {
        chmod(folder, 0o700)
        for name in names(in: folder.dropFirst(path.count).description) where unlink("\(folder)/\(name)") != 0 {
            empty("\(folder)/\(name)")
            rmdir("\(folder)/\(name)")
        }
    }

    /// The names of what is in the folder, or in one below it.
    func names(in subfolder: String = "") -> Set<String> {
        guard let stream = opendir("\(path)/\(subfolder)") else { return [] }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.insert(name) }
        }
        return names
    }

    func read(_ name: String) -> String? {
        guard let file = fopen("\(path)/\(name)", "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    func write(_ name: String, _ text: String) {
        guard let file = fopen("\(path)/\(name)", "w") else { return }
        fputs(text, file)
        fclose(file)
    }

    func link(at name: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = buffer.withUnsafeMutableBytes { readlink("\(path)/\(name)", $0.baseAddress!, $0.count) }
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
