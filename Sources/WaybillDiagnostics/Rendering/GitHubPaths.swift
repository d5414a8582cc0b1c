/// The paths by which GitHub Actions finds the files of annotations: relative to the workspace, whatever the current
/// folder is.
package struct GitHubPaths: Sendable {
    /// The segments of the current folder's path in the workspace.
    private let folder: [Substring]

    /// Creates the paths.
    ///
    /// - Parameters:
    ///   - workspace: The absolute path of the workspace; `nil` if it is the current folder.
    ///   - currentFolder: The absolute path of the current folder. Outside the workspace, paths stay as they are.
    package init(workspace: String? = nil, currentFolder: String = "/") {
        let outer = workspace?.split(separator: "/") ?? []
        let inner = currentFolder.split(separator: "/")
        folder = workspace != nil && inner.starts(with: outer) ? Array(inner.dropFirst(outer.count)) : []
    }

    /// Returns the path of a file, which is relative to the current folder or absolute.
    package func path(of file: String) -> String {
        guard !file.hasPrefix("/"), !file.hasPrefix("<") else { return file }
        var segments = folder
        for segment in file.split(separator: "/") where segment != "." {
            guard segment == ".." else {
                segments.append(segment)
                continue
            }
            // A file outside the workspace cannot be annotated.
            if segments.popLast() == nil { return file }
        }
        return segments.joined(separator: "/")
    }
}
