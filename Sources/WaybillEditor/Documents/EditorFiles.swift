import WaybillJSON
import WaybillManifest
import WaybillRuntime

/// The local file system, with the texts of open documents instead of the files that they were opened from.
struct EditorFiles: ManifestFileSystem {
    /// The texts by the resolved paths of their files.
    var texts: [CodePoints: [UInt8]]
    let contracts: KnownContracts?

    func read(_ path: String, limit: Int, acceptsPipes: Bool) throws(FileError) -> [UInt8] {
        // The client writes to standard input.
        guard path != "-" else { throw FileError(path: path, reason: .notFound) }
        guard let text = texts[CodePoints(FileContents.resolvedPath(path))] else {
            return try LocalFiles().read(path, limit: limit, acceptsPipes: false)
        }
        guard text.count <= limit else { throw FileError(path: path, reason: .tooLarge(limit: limit)) }
        return text
    }
}
