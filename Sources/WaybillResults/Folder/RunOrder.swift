import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// The order in which the runs and suites in a folder were created. Their names have the time, but a clock can be wrong.
enum RunOrder {
    private static let longest = 256 << 20

    private static func path(in parent: String) -> String { "\(parent)/\(RunFileNames.order)" }

    /// Adds the name of a folder that was created last. The order is a convenience: an error is ignored.
    static func add(_ name: String, in parent: String) {
        let path = path(in: parent)
        // Nothing is written through other hard links, such as those of a copy of the folder by `cp -al`.
        if let status = try? FileStatus(of: path), status.kind == .file, status.linkCount > 1 {
            guard let bytes = try? FolderContents.file(RunFileNames.order, in: parent).read(limit: longest),
                (try? OutputFile.replace(path, with: bytes)) != nil
            else { return }
        }
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW
        guard let descriptor = try? RegularFile.open(path, flags, to: "write") else { return }
        defer { close(descriptor) }
        // A line is so short that the system writes it at once, also if other processes add theirs.
        try? OpenFile.write(Array("\(name)\n".utf8), to: descriptor)
    }

    /// Returns the positions of the folders, by name. Those that older versions have created have none.
    static func positions(in parent: String) -> [CodePoints: Int] {
        let bytes = (try? FolderContents.file(RunFileNames.order, in: parent).read(limit: longest)) ?? []
        let names = bytes.split(separator: UInt8(ascii: "\n")).map { CodePoints(String(decoding: $0, as: UTF8.self)) }
        return Dictionary(zip(names, names.indices)) { _, last in last }
    }

    /// Removes the order, when no folder is left.
    static func remove(in parent: String) { unlink(path(in: parent)) }
}
