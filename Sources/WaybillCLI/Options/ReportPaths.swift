import Waybill
import WaybillJSON
import WaybillResults
import WaybillRuntime

/// Checks that no report replaces another report, a file of the run itself, or a file that the run reads.
struct ReportPaths {
    /// The results folders of the runs, as far as they are known.
    var folders: [String] = []
    /// The manifests and other files that were read.
    var sources: [String] = []

    /// Returns an error message for the first of the paths that must not be written to.
    func error(in paths: [String]) -> String? {
        let folders = Set(folders.map { CodePoints(Self.canonical($0)) })
        let sources = Set(sources.map { CodePoints(Self.canonical($0)) })
        var known: Set<CodePoints> = []
        for path in paths where path != "-" {
            let file = Self.canonical(path)
            let isStream = (try? FileStatus(of: file)).map { $0.kind != .file && $0.kind != .folder } ?? false
            if !known.insert(CodePoints(file)).inserted, !isStream {
                return "Two reports have the same file '\(path)'."
            }
            if sources.contains(CodePoints(file)) {
                return "The report '\(path)' would replace a file that the run reads."
            }
            if Self.isOfRun(file, folders) { return "The report '\(path)' would replace a file of the run itself." }
        }
        return nil
    }

    /// Whether a file is one that every run writes, or a kept body.
    private static func isOfRun(_ file: String, _ folders: Set<CodePoints>) -> Bool {
        let folder = FileContents.folder(of: file)
        if folders.contains(CodePoints(folder)) { return RunFileNames.all.contains(FileContents.name(of: file)) }
        return folder.hasSuffix("/\(RunFileNames.bodies)")
            && folders.contains(CodePoints(FileContents.folder(of: folder)))
    }

    /// Returns the path without symbolic links. The last parts of the path need not exist.
    private static func canonical(_ path: String) -> String {
        if let canonical = FileContents.canonicalPath(path) { return canonical }
        let folder = FileContents.folder(of: path)
        guard folder != path, folder != "." || path.contains("/") else {
            return (FileContents.canonicalPath(".") ?? ".") + "/\(path)"
        }
        return canonical(folder) + "/" + (path.split(separator: "/").last.map(String.init) ?? "")
    }
}
