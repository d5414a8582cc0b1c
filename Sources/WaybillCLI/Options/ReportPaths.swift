import Waybill
import WaybillJSON
import WaybillPlan
import WaybillResults
import WaybillRuntime

/// Checks that no report replaces another report, a file of the run itself, or a file that the run reads.
struct ReportPaths {
    /// The results folders of the runs, as far as they are known.
    var folders: [String] = []
    /// The manifests and other files that were read.
    var sources: [String] = []
    /// The files that the runs write, as far as they are known.
    var written: [String] = []

    /// Adds the files that a run reads and writes, as far as their paths are constant.
    ///
    /// - Parameters:
    ///   - folder: The results folder, if it is known.
    ///   - stateFile: The file for its states, if it uses one.
    func adding(_ plan: Plan, in folder: String?, stateFile: String?) -> ReportPaths {
        var paths = self
        paths.sources += plan.requests.namedFiles
        paths.written += stateFile.map(StateFile.files) ?? []
        if let folder { paths.written += plan.resultFiles.map { FileContents.path($0, in: folder) } }
        return paths
    }

    /// Adds the files that the journals of the runs list, if they could be one of some reports.
    func addingRecorded(for reports: [String]) -> ReportPaths {
        // A report that does not exist yet replaces nothing.
        let names = Set(reports.compactMap(FileContents.canonicalPath).map(FileContents.name))
        var paths = self
        if !names.isEmpty { paths.written += folders.flatMap { RunFiles.recorded(in: $0, named: names) } }
        return paths
    }

    /// Returns an error message for the first of the paths that must not be written to.
    func error(in paths: [String]) -> String? {
        let folders = Set(folders.map { CodePoints(Self.canonical($0)) })
        let sources = Set(sources.map { CodePoints(Self.canonical($0)) })
        let written = Set(written.map { CodePoints(Self.canonical($0)) })
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
            if written.contains(CodePoints(file)) || Self.isOfRun(file, folders) {
                return "The report '\(path)' would replace a file of the run itself."
            }
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
