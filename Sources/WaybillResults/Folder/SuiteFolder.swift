package import WaybillJSON
import WaybillRuntime

/// A lock on the folder of a suite, which ends with the process that has it. The folder itself is locked, because its
/// files are replaced.
private final class SuiteLock: Sendable {
    private let file: OutputFile

    init(_ folder: String) throws(ResultsError) {
        file = try OutputFile(folder, .folder)
        guard file.lock() else {
            throw ResultsError("another process is running the manifests of '\(folder)'")
        }
    }
}

/// The folder for runs of several manifests: `suite.json` lists them, as described in `schemas/suite.schema.json`, and each
/// run has its own subfolder.
package struct SuiteFolder: Sendable {
    /// A manifest of the suite.
    package struct Member: Sendable, Equatable {
        /// The path of the manifest, as it was specified.
        package let manifest: String
        /// The folder of the manifest's run. It does not exist if the run was not started.
        package let folder: String
    }

    /// The options of the runs, for `resume`.
    package struct Options: Sendable, Equatable {
        /// The environment that is applied to each manifest.
        package var environment: String?
        /// The graphs that are run; if empty, the default graph of each manifest.
        package var graphs: [String] = []
        /// The names of the inputs from the command line and from files. Their values are not stored, because they may
        /// be secret.
        package var inputs: [String] = []
        /// The maximum number of requests at once in each run.
        package var concurrency: Int?
        /// The selection of steps: `tags`, `notTags` and `only`.
        package var selection: JSON?
        /// Whether the mock server receives the requests.
        package var usesMock = false

        /// The default options.
        package init() {}
    }

    /// The folder.
    package let path: String
    /// The manifests, in the order in which they run.
    package let members: [Member]
    /// The options of the runs.
    package let options: Options
    /// The lock that excludes other processes, while this one runs the manifests.
    private var lock: SuiteLock?

    /// Creates the folder for some manifests.
    ///
    /// - Parameter path: The folder; if `nil`, a new folder in `parent` that is named like a run. The link `latest` in
    ///   `parent` is then pointed to it.
    package static func create(
        _ path: String?,
        in parent: String,
        for manifests: [String],
        _ options: Options = Options()
    ) throws(ResultsError) -> SuiteFolder {
        let name = RunID().description
        let folder = path ?? "\(parent)/\(name)"
        let names = names(for: manifests)
        let members = zip(manifests, names).map { manifest, name in
            JSON.object(JSONObject([("manifest", .string(manifest)), ("folder", .string(name))]))
        }
        var list = JSONObject([("manifests", .array(members))])
        options.add(to: &list)
        var text: [UInt8] = []
        JSONWriter(layout: .pretty).write(.object(list), to: &text)
        try FolderContents.checkParents(of: folder, except: nil)
        let lock = try FolderContents.make(folder, attempts: path == nil ? 100 : 1) { () throws(ResultsError) in
            try SuiteLock(folder)
        }
        if path != nil {
            FolderContents.clearTemporaries(folder)
            // The results of earlier runs, also of those that this run may not start, must not count as its own.
            try FolderContents.removeRuns(names.map { "\(folder)/\($0)" } + [folder])
        }
        try OutputFile.replaceDurably([("\(folder)/\(RunFileNames.suite)", text + [UInt8(ascii: "\n")])])
        let suite = SuiteFolder(
            path: folder,
            members: zip(manifests, names).map { Member(manifest: $0, folder: "\(folder)/\($1)") },
            options: options,
            lock: lock
        )
        if path == nil { try FolderContents.leadLatest(in: parent, to: name) }
        return suite
    }

    /// Excludes other processes from running the manifests, as long as this value exists.
    package mutating func claim() throws(ResultsError) {
        lock = try SuiteLock(path)
        try FolderContents.checkParents(of: path, except: nil)
    }

    /// Returns the folders of the manifests' runs in the folder of a suite.
    package static func folders(of manifests: [String], in path: String) -> [String] {
        names(for: manifests).map { "\(path)/\($0)" }
    }

    /// Returns names for the folders of the manifests' runs: the paths without their extension, and without components
    /// that lead out of the folder. All names differ, even if case is ignored, none is that of a file of a run, and no
    /// folder is inside that of another run.
    static func names(for manifests: [String]) -> [String] {
        var taken = RunFileNames.all.union([FolderContents.mergedJournal])
        var parents: Set<String> = []
        func isFree(_ name: String) -> Bool {
            let name = name.lowercased()
            return !taken.contains(name) && !parents.contains(name)
                && folders(above: name).allSatisfy { !taken.contains($0) }
        }
        return manifests.map { path in
            var parts = FileContents.names(in: path).filter { $0 != "." && $0 != ".." }.map(String.init)
            if let last = parts.last, let dot = last.lastIndex(of: "."), dot != last.startIndex {
                parts[parts.count - 1] = String(last[..<dot])
            }
            let base = parts.isEmpty ? "manifest" : parts.joined(separator: "/")
            var name = base
            var number = 1
            while !isFree(name) {
                number += 1
                name = base.replacing("/", with: "-") + "-\(number)"
            }
            taken.insert(name.lowercased())
            parents.formUnion(folders(above: name.lowercased()))
            return name
        }
    }

    /// Returns `a` and `a/b` for `a/b/c`.
    private static func folders(above name: String) -> [String] {
        name.indices.filter { name[$0] == "/" }.map { String(name[..<$0]) }
    }
}

extension SuiteFolder {
    /// Reads the suite in a folder; `nil` if there is none, or if its list is damaged.
    package init?(at path: String) {
        guard let bytes = try? FolderContents.file(RunFileNames.suite, in: path).read(limit: 64 << 20),
            let document = try? JSONParser.ownFiles.parse(bytes), let list = document["manifests"]?.array
        else { return nil }
        let manifests = list.compactMap { $0["manifest"]?.string }
        let names = Self.names(for: manifests)
        // The names follow from the manifests, so that a modified list cannot lead out of the folder.
        guard !manifests.isEmpty, list.map({ $0["folder"]?.string }) == names else { return nil }
        let members = zip(manifests, names).map { Member(manifest: $0, folder: "\(path)/\($1)") }
        self.init(path: path, members: members, options: Options(document))
    }
}

extension SuiteFolder.Options {
    /// Reads the options from `suite.json`.
    fileprivate init(_ document: JSON) {
        environment = document["environment"]?.string
        graphs = document["graphs"]?.array?.compactMap(\.string) ?? []
        inputs = document["inputs"]?.array?.compactMap(\.string) ?? []
        concurrency = document["concurrency"]?.number?.int
        selection = document["selection"]
        usesMock = document["mock"] == .bool(true)
    }

    /// Adds the options that differ from the default.
    fileprivate func add(to document: inout JSONObject) {
        document["environment"] = environment.map(JSON.string)
        if !graphs.isEmpty { document["graphs"] = .array(graphs.map(JSON.string)) }
        if !inputs.isEmpty { document["inputs"] = .array(inputs.map(JSON.string)) }
        document["concurrency"] = concurrency.map { .number(JSONNumber($0)) }
        document["selection"] = selection
        if usesMock { document["mock"] = .bool(true) }
    }
}
