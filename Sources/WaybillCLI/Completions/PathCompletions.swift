import WaybillRuntime

/// Completes words of a command line with files and folders.
package enum PathCompletions {
    /// The maximum number of names in a folder that are inspected: completion must not take long.
    private static let maximumNames = 10_000

    /// Returns the paths that start with a prefix, sorted; those of folders end with a slash. Names that start with a
    /// dot need a prefix that does.
    package static func paths(_ prefix: String, foldersOnly: Bool = false) -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let start = prefix.dropFirst(folder.count)
        let names = (try? FolderListing.names(in: folder.isEmpty ? "." : folder, limit: maximumNames)) ?? []
        let paths = names.sorted().compactMap { name -> String? in
            guard name.hasPrefix(start), start.hasPrefix(".") || !name.hasPrefix(".") else { return nil }
            let path = folder + name
            if (try? FileStatus(of: path))?.kind == .folder { return path + "/" }
            return foldersOnly ? nil : path
        }
        return Candidates.matching(prefix, in: paths)
    }
}
