import WaybillPlatform

/// A new folder that is deleted with its contents when the object is released.
package final class TemporaryFolder: Sendable {
    /// Its absolute path, without a slash at the end.
    package let path: String

    /// Creates an empty folder that other users may read.
    package init() {
        var template = Array("/tmp/waybill-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template), chmod(made, 0o755) == 0 else {
            preconditionFailure("could not create a temporary folder")
        }
        path = String(cString: made)
    }

    deinit {
        empty("")
        rmdir(path)
    }

    /// Writes a file, creates its parent folders, and returns its path.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) -> String {
        let file = "\(path)/\(name)"
        for end in name.indices where name[end] == "/" { mkdir("\(path)/\(name[..<end])", 0o755) }
        guard let stream = fopen(file, "w") else { preconditionFailure("could not write \(file)") }
        fwrite(bytes, 1, bytes.count, stream)
        fclose(stream)
        return file
    }

    /// Writes a text file and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) -> String {
        write(Array(text.utf8), to: name)
    }

    /// Removes a file, or a subfolder with its contents.
    package func remove(_ name: String) {
        empty(name)
        if unlink("\(path)/\(name)") != 0 { rmdir("\(path)/\(name)") }
    }

    /// The text of a file in the folder; nil if there is none.
    package func read(_ name: String) -> String? {
        Self.contents(of: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in the folder, or in a subfolder.
    package func names(in subfolder: String = "") -> Set<String> {
        Self.names(at: "\(path)/\(subfolder)")
    }

    private static func names(at path: String) -> Set<String> {
        guard let stream = opendir(path) else { return [] }
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

    /// The target of a link in the folder; nil if there is none.
    package func link(at name: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = buffer.withUnsafeMutableBytes { readlink("\(path)/\(name)", $0.baseAddress!, $0.count) }
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// The sorted paths of the files below any folder whose names end with `ending`.
    package static func files(in path: String, ending: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        closedir(stream)
        var files: [String] = []
        for name in names(at: path).sorted() {
            if name.hasSuffix(ending) {
                files.append("\(path)/\(name)")
            } else {
                files += Self.files(in: "\(path)/\(name)", ending: ending)
            }
        }
        return files
    }

    /// The bytes of any file; nil if it cannot be opened.
    package static func contents(of path: String) -> [UInt8]? {
        guard let stream = fopen(path, "r") else { return nil }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&buffer, 1, buffer.count, stream)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// Deletes the contents of a subfolder. Never follows a link: `unlink` removes links, and only what it refuses is
    /// entered.
    private func empty(_ subfolder: String) {
        chmod("\(path)/\(subfolder)", 0o700)
        for name in names(in: subfolder) where unlink("\(path)/\(subfolder)/\(name)") != 0 {
            empty("\(subfolder)/\(name)")
            rmdir("\(path)/\(subfolder)/\(name)")
        }
    }
}
