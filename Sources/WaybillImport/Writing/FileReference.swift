import WaybillDiagnostics

/// Paths of files that a source names. They are never read.
enum FileReference {
    /// Returns the path relative to the manifest. A file that is elsewhere is expected next to the manifest.
    static func inside(_ path: String) -> (name: String, isMoved: Bool) {
        let segments = path.split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }
        let isOutside =
            path.hasPrefix("/") || path.hasReference || path.hasPrefix("~") || segments.contains("..")
            || path.contains("\\")
        guard isOutside || segments.isEmpty else { return (segments.joined(separator: "/"), false) }
        let name = path.withoutReferences.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        return (name.isEmpty || name == ".." || name == "." ? "file" : name, true)
    }

    /// Returns the path relative to the manifest; a file that is elsewhere is a loss.
    static func inside(_ path: String, at span: SourceSpan?, _ losses: inout [ImportLoss]) -> String {
        let (name, isMoved) = inside(path)
        if isMoved {
            losses.add("the folder of the file '\(path)'", "copy the file next to the manifest, as \(name)", at: span)
        }
        return name
    }
}
