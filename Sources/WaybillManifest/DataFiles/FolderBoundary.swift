import WaybillData

/// The folder that what a manifest reads has to lie in, unless it may lie anywhere.
struct FolderBoundary: Sendable {
    /// The folder with symbolic links resolved; `nil` where there is no such folder.
    private let folder: String?
    private let allowsOutside: Bool

    init(folder: String, allowsOutside: Bool) {
        self.folder = FileContents.canonicalPath(folder)
        self.allowsOutside = allowsOutside
    }

    /// Whether what stands at a path, symbolic links resolved, is the folder or lies in it; false where nothing is.
    func contains(_ path: String) -> Bool {
        if allowsOutside { return true }
        guard let folder, let path = FileContents.canonicalPath(path) else { return false }
        return path.hasSameCodePoints(as: folder) || path.utf8.starts(with: (folder == "/" ? "/" : folder + "/").utf8)
    }
}
