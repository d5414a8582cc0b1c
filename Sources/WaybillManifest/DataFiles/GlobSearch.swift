import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// A search for the files that match a pattern.
///
/// Each folder is listed once, even if `**` occurs several times in the pattern. `**` does not follow symbolic links,
/// which avoids cycles; names and other wildcards do. Names that start with a dot match only a pattern that starts with
/// a dot too.
struct GlobSearch {
    /// The limits beyond which a search fails.
    struct Limits: Sendable {
        /// The maximum number of files that match.
        var maximumFiles = 100_000
        /// The maximum number of names that are checked.
        var maximumNames = 1_000_000
        /// The maximum depth of folders.
        var maximumDepth = 64
    }

    /// The folder that patterns are relative to.
    private let folder: String
    private let boundary: FolderBoundary
    private let limits: Limits
    private var namesLeft: Int
    /// The sizes of the files found, by their paths.
    private var sizes: [CodePoints: Int] = [:]
    private var paths: [String] = []

    init(in folder: String, boundary: FolderBoundary, limits: Limits = Limits()) {
        self.folder = folder
        self.boundary = boundary
        self.limits = limits
        namesLeft = limits.maximumNames
    }

    /// Returns the paths and sizes of the matching files, ordered by the bytes of the paths. The paths are relative to
    /// the same folder as the pattern.
    mutating func files(matching pattern: PathGlob) throws(Diagnostic) -> [(path: String, size: Int)] {
        for alternative in pattern.alternatives {
            try search(alternative.isAbsolute ? "/" : "", alternative.components, [0], depth: 0)
        }
        paths.sort { $0.precedesByCodePoints($1) }
        return paths.map { ($0, sizes[CodePoints($0)] ?? 0) }
    }

    /// Searches a folder for names that match any of the components that can come next.
    private mutating func search(
        _ path: String,
        _ components: [PathGlob.Component],
        _ wanted: Set<Int>,
        depth: Int
    ) throws(Diagnostic) {
        guard depth <= limits.maximumDepth else {
            throw Diagnostic(
                "glob-limit",
                "the folders below \(shown(path)) are nested more than \(limits.maximumDepth) levels deep",
                help: ["Name more of the path in the pattern."]
            )
        }
        var wanted = wanted
        // `**` also matches no folder.
        for index in wanted {
            if case .anyFolders = components[index], index + 1 < components.count { wanted.insert(index + 1) }
        }
        if wanted.count == 1, let index = wanted.first, case .literal(let name) = components[index] {
            try visit(name, in: path, components, wanted, isListed: false, depth: depth)
            return
        }
        for name in try list(path) {
            try visit(name, in: path, components, wanted, isListed: true, depth: depth)
        }
    }

    /// Records a name that matches, and continues below a folder that can contain matches.
    private mutating func visit(
        _ name: String,
        in folder: String,
        _ components: [PathGlob.Component],
        _ wanted: Set<Int>,
        isListed: Bool,
        depth: Int
    ) throws(Diagnostic) {
        var next: Set<Int> = []
        var nextUnlessLink: Set<Int> = []
        var isMatch = false
        for index in wanted {
            switch components[index] {
            case .literal(let text) where !text.hasSameCodePoints(as: name): continue
            case .names(let pattern) where !pattern.matches(name: name): continue
            case .anyFolders where name.utf8.first == UInt8(ascii: "."): continue
            case .anyFolders:
                nextUnlessLink.insert(index)
                if index + 1 == components.count { isMatch = true }
            case .literal, .names:
                if index + 1 == components.count { isMatch = true } else { next.insert(index + 1) }
            }
        }
        guard isMatch || !next.isEmpty || !nextUnlessLink.isEmpty else { return }

        let path = Self.joined(folder, name)
        guard let (status, isLink) = try status(of: path, isListed: isListed) else { return }
        switch status.kind {
        case .file where isMatch:
            if isLink || !isListed { try requireInside(path) }
            try add(path, status.size)
        case .folder:
            if !isLink { next.formUnion(nextUnlessLink) }
            if !next.isEmpty { try search(path, components, next, depth: depth + 1) }
        case .file, .link, .other: break
        }
    }

    /// Returns the status of the file at a path, with links followed, and whether the path is a link; `nil` if no file
    /// exists.
    private func status(of path: String, isListed: Bool) throws(Diagnostic) -> (FileStatus, isLink: Bool)? {
        do {
            let status = try FileStatus(of: onDisk(path), followsLinks: false)
            return status.kind == .link ? (try FileStatus(of: onDisk(path)), true) : (status, false)
        } catch {
            let leadsNowhere = error.reason == .notFound || error.reason == .other(errno: ELOOP)
            if isListed, leadsNowhere, path.unicodeScalars.contains("\u{FFFD}") {
                throw Diagnostic("unreadable-file", "the name of the file \(path) is not valid UTF-8")
            }
            if leadsNowhere { return nil }
            throw Diagnostic("unreadable-file", "\(path) cannot be inspected: \(error.message)")
        }
    }

    private mutating func list(_ path: String) throws(Diagnostic) -> [String] {
        try requireInside(path)
        let names: [String]
        do {
            names = try FolderListing.names(in: onDisk(path), limit: namesLeft + 1)
        } catch {
            throw Diagnostic("unreadable-file", "the folder \(shown(path)) cannot be read: \(error.message)")
        }
        guard names.count <= namesLeft else {
            throw Diagnostic(
                "glob-limit",
                "more than \(limits.maximumNames) files and folders would have to be checked",
                help: ["Name more of the path in the pattern."]
            )
        }
        namesLeft -= names.count
        // Sorted, so that the same one of several errors is always reported.
        return names.sorted { $0.precedesByCodePoints($1) }
    }

    private mutating func add(_ path: String, _ size: Int) throws(Diagnostic) {
        guard sizes.updateValue(size, forKey: CodePoints(path)) == nil else { return }
        paths.append(path)
        guard paths.count <= limits.maximumFiles else {
            throw Diagnostic("glob-limit", "more than \(limits.maximumFiles) files match")
        }
    }

    private func requireInside(_ path: String) throws(Diagnostic) {
        guard boundary.contains(onDisk(path)) else {
            throw Diagnostic(
                "outside-folder",
                "\(shown(path)) is outside the folder of the manifest",
                help: ["Use --allow-outside if this is intended."],
                programHelp: ["Pass 'allowsOutside: true' if this is intended."]
            )
        }
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.isEmpty || folder == "/" ? folder + name : "\(folder)/\(name)"
    }

    private func onDisk(_ path: String) -> String {
        if path.isEmpty { return folder }
        return path.utf8.first == UInt8(ascii: "/") ? path : FileContents.path(path, in: folder)
    }

    private func shown(_ path: String) -> String { path.isEmpty ? folder : path }
}
