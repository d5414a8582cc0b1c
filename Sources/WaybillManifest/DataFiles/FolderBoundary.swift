import WaybillData
import WaybillDiagnostics

/// The folder that what a manifest reads has to lie in, unless it may lie anywhere.
package struct FolderBoundary: Sendable {
    /// The folder with symbolic links resolved; `nil` where there is no such folder.
    private let folder: String?
    private let allowsOutside: Bool

    /// The boundary around a folder.
    package init(folder: String, allowsOutside: Bool) {
        self.folder = FileContents.canonicalPath(folder)
        self.allowsOutside = allowsOutside
    }

    /// Whether what stands at a path, symbolic links resolved, is the folder or lies in it; false where nothing is.
    package func contains(_ path: String) -> Bool {
        if allowsOutside { return true }
        guard let path = FileContents.canonicalPath(path) else { return false }
        return isInside(path)
    }

    /// Whether a path leads to the folder or into it, whatever stands there yet.
    package func encloses(_ path: String) -> Bool {
        if allowsOutside || contains(path) { return true }
        // The part that exists may have symbolic links; the rest can only be taken as it is written.
        let names = path.split(separator: "/")
        guard path.utf8.count <= Self.longestPath else { return false }
        var place = path.hasPrefix("/") ? "/" : "."
        for (index, name) in names.enumerated() {
            let next = place == "/" ? "/\(name)" : "\(place)/\(name)"
            if FileContents.canonicalPath(next) != nil {
                place = next
                continue
            }
            guard let start = FileContents.canonicalPath(place) else { return false }
            return Self.lexical(names[index...], from: start).map(isInside) ?? false
        }
        return false
    }

    /// The name in the folder of a path that is nearest to the one where nothing stands, for a message.
    package func nearestName(to path: String) -> String? {
        let folder = FileContents.folder(of: path)
        guard contains(folder), let names = try? FolderListing.names(in: folder, limit: 10_000) else { return nil }
        return NearestName.of(FileContents.name(of: path), among: names.sorted())
    }

    /// No system opens longer paths, in bytes.
    private static let longestPath = 4096

    private func isInside(_ path: String) -> Bool {
        guard let folder else { return false }
        return path.hasSameCodePoints(as: folder) || path.utf8.starts(with: (folder == "/" ? "/" : folder + "/").utf8)
    }

    private static func lexical(_ names: ArraySlice<Substring>, from start: String) -> String? {
        var parts = start.split(separator: "/")
        for name in names where name != "." {
            if name != ".." { parts.append(name) } else if parts.popLast() == nil { return nil }
        }
        return "/" + parts.joined(separator: "/")
    }
}
