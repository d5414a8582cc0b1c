package import WaybillFormats
package import WaybillJSON
import WaybillPlatform
import WaybillRuntime

/// A file with the states of graphs. Only one run at a time can use it: it is locked until its last owner releases it.
///
/// Its content is described in `schemas/state.schema.json`.
package final class StateFile: Sendable {
    /// The content of the file.
    package struct Content: Sendable, Equatable {
        /// The run that stored it; `nil` if none did.
        package var run: RunID?
        /// When it was stored.
        package var savedAt: Timestamp?
        /// The manifest whose states they are.
        package var manifest: String?
        /// The values, by the name of the graph.
        package var graphs: [String: JSONObject] = [:]
    }

    /// The path.
    package let path: String
    /// The file, which is not a symbolic link: so runs that use it under different names lock each other out.
    let target: String
    /// The content when the file was locked.
    package let content: Content

    private let lock: OutputFile
    private static let format = 1

    /// Returns the path of the file with a name: `waybill-results/state/NAME.json`, or `NAME.ENVIRONMENT.json`. Of a name
    /// that is too long for a file, it has the SHA-256 digest.
    package static func path(in results: String, name: String, environment: String?) -> String {
        let names = [name] + (environment.map { [$0] } ?? [])
        let file = names.map { FileNameText.encoded($0) }.joined(separator: ".")
        return "\(results)/state/\(file.utf8.count > 200 ? Digest.sha256(of: Array(file.utf8)) : file).json"
    }

    /// Returns the files that a run with a state uses: the state, and the lock beside the file that a link leads to.
    package static func files(of path: String) -> [String] {
        [path, FileLock.path(for: FileContents.target(of: path))]
    }

    /// Locks and reads a file, which may not exist yet. Missing parent folders are created.
    ///
    /// - Throws: An error if another process uses the file, or if it is not a state file.
    package init(_ path: String) throws(ResultsError) {
        self.path = path
        target = FileContents.target(of: path)
        do throws(ResultsError) {
            try FolderContents.make(FileContents.folder(of: target))
        } catch {
            throw ResultsError("cannot store the state in '\(path)': \(error.description)")
        }
        // A separate file is locked, because the file itself is replaced, which would also replace a lock on it.
        lock = try OutputFile(FileLock.path(for: target), .any)
        guard lock.lock() else {
            throw ResultsError("the state '\(path)' is in use by another run; try again when that run has finished")
        }
        Self.removeTemporaries(of: target)
        content = try Self.read(path)
    }

    /// Removes temporary files of killed processes, now that no other process uses the file.
    private static func removeTemporaries(of path: String) {
        let folder = FileContents.folder(of: path)
        for name in (try? FolderListing.names(in: folder, limit: .max)) ?? []
        where OutputFile.isTemporary(name, beside: FileContents.name(of: path)) {
            unlink("\(folder)/\(name)")
        }
    }

    /// Reads a file without locking it; empty if it does not exist.
    package static func read(_ path: String) throws(ResultsError) -> Content {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileContents.read(path, limit: 256 << 20)
        } catch {
            if error.reason == .notFound { return Content() }
            throw ResultsError("cannot read the state '\(path)': \(error.message)")
        }
        guard let json = try? JSONParser.ownFiles.parse(bytes), json["format"]?.number?.int == format,
            let graphs = json["graphs"]?.object, graphs.allSatisfy({ $0.value.object != nil })
        else {
            throw ResultsError("'\(path)' is not a state file; remove it to start with the default values")
        }
        return Content(
            run: json["run"]?.string.flatMap(RunID.init),
            savedAt: json["savedAt"]?.string.flatMap(Timestamp.init(rfc3339:)),
            manifest: json["manifest"]?.string,
            graphs: GraphStates(json: json["graphs"], file: nil).values
        )
    }

    /// Replaces the content of the file atomically, and waits until it is on the disk.
    package func store(_ content: Content) throws(ResultsError) {
        try OutputFile.replaceDurably([(target, Self.text(of: content))])
        OutputFile.syncFolder(of: target)
    }

    /// Returns the JSON text of the content.
    static func text(of content: Content) -> [UInt8] {
        var object = JSONObject([("format", .number(JSONNumber(format)))])
        object["manifest"] = content.manifest.map(JSON.string)
        if let run = content.run { object["run"] = .string(run.description) }
        if let savedAt = content.savedAt { object["savedAt"] = .string(savedAt.description) }
        let graphs = content.graphs.sorted { $0.key < $1.key }.map { ($0.key, JSON.object($0.value)) }
        object["graphs"] = .object(JSONObject(graphs))
        var text: [UInt8] = []
        JSONWriter(layout: .pretty).write(.object(object), to: &text)
        return text + [UInt8(ascii: "\n")]
    }
}
