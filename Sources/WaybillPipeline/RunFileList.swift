package import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
package import WaybillPlan
package import WaybillResults
import WaybillRuntime

/// The files that runs read and write, as far as their paths are known before anything is sent, and those that cannot be
/// written or would replace another one of them.
package struct RunFileList: Sendable {
    /// What a run writes a file for. Files for the same purpose may be the same: a rule for manifests or a lock takes care
    /// of them.
    package enum Purpose: String, Sendable {
        /// One of the files of its results.
        case result = "the results file"
        case state = "the state"
        case jar = "the cookie jar"
        case tokens = "the token file"
        case snapshot = "the snapshot"
        /// A file that a step writes or downloads.
        case step = "the file"
        /// A report. Each has a file of its own.
        case report = "the report"
        /// Files that other programs append to as well.
        case trace = "the trace file"
        case summary = "the job summary"

        /// Whether the user chooses the file, and it is none of the run's results.
        fileprivate var isChosen: Bool { [.report, .snapshot, .trace, .summary].contains(self) }
    }

    /// The errors about files that would replace another one, or something that is not a file.
    package private(set) var errors: [Diagnostic] = []

    private var reads: [FileIdentity: String] = [:]
    /// Files that expressions read, also after a step has written them.
    private var readsOfExpressions: Set<FileIdentity> = []
    private var writes: [FileIdentity: (purpose: Purpose, path: String)] = [:]
    private var bodyFolders: Set<FileIdentity> = []
    /// The folders of the results.
    private var resultFolders: Set<CodePoints> = []

    /// Whether to look for other runs where reports and snapshots are. Without the folder of the own run, that would be another one.
    private var checksOtherRuns = true

    /// An empty list.
    package init(checksOtherRuns: Bool = true) {
        self.checksOtherRuns = checksOtherRuns
    }

    /// The files of the run of a plan.
    ///
    /// - Parameters:
    ///   - folder: The folder of its results; `nil` for a new one.
    ///   - stateFile: The file for its states, if it uses one.
    ///   - updatesSnapshots: Whether it writes snapshots.
    package init(of plan: Plan, in folder: String?, stateFile: String?, updatesSnapshots: Bool = false) {
        var writes: [(path: String, purpose: Purpose)] = []
        read(plan.readFiles)
        readsOfExpressions.formUnion(plan.filesOfExpressions.compactMap { FileIdentity($0) })
        read(plan.declaredSecrets.compactMap { $0.source.file?.location })
        for file in plan.namedFiles {
            switch file.kind {
            case .jar, .tokens:
                let target = FileContents.target(of: file.location)
                writes += [file.location, FileLock.path(for: target)].map { ($0, file.kind == .jar ? .jar : .tokens) }
                let results = FileContents.resolvedPath(folder ?? RunFolders.usual)
                if file.kind == .tokens, FileContents.resolvedPath(target).utf8.starts(with: "\(results)/".utf8) {
                    addClash(
                        "the token file '\(file.location)' is in the folder of the results",
                        "Choose another file."
                    )
                }
            case .snapshot where updatesSnapshots: writes.append((file.location, .snapshot))
            case .body, .tls, .netrc, .secret, .snapshot: read([file.location])
            case .cache: break
            }
        }
        if let folder { addResults(in: folder) }
        for path in stateFile.map(StateFile.files) ?? [] { write(path, as: .state) }
        for (path, purpose) in writes { write(path, as: purpose) }
        var stepFiles: [(path: String, file: ResultFile)] = []
        for file in plan.resultFiles where folder != nil || file.path.hasPrefix("/") {
            let path = FileContents.path(file.path, in: folder ?? ".")
            let isInside = !file.path.hasPrefix("/") && !FileContents.names(in: file.path).contains("..")
            checkReplaceable(path, isInside: isInside)
            write(path, as: .step)
            // The records of a shard stay in it.
            write(RecordContainer.file.part(of: path), as: .step)
            stepFiles.append((FileContents.resolvedPath(path, followsLink: !isInside), file))
        }
        checkOverlaps(of: stepFiles)
    }

    /// The files that earlier runs have written and that their manifests read, as far as some reports could replace them.
    ///
    /// - Parameters:
    ///   - folders: The folders of the results.
    ///   - reports: The paths of the reports.
    package init(of runs: [ReportedRun], in folders: [String], for reports: [String]) {
        let pipeline = Pipeline(allowsOutside: true)
        for run in runs {
            let checked = pipeline.check(pipeline.load(run.result.manifest), environment: run.result.environment).value
            read(checked.map { Pipeline.namedFiles(of: $0) + $0.filesOfExpressions } ?? [])
        }
        read(pipeline.readFiles)
        for folder in folders { addResults(in: folder) }
        addRecorded(in: folders, for: reports)
    }

    /// Adds errors for files of steps that are one file, or of which one is a folder of another. Links are followed; what the
    /// text of the paths shows is an error of the manifest.
    private mutating func checkOverlaps(of files: [(path: String, file: ResultFile)]) {
        let pairs = FileOverlap.pairs(of: files.map { ($0.path, $0) }) { outer, inner in
            guard let step = outer.file.step, let other = inner.file.step else { return false }
            let isOne = CodePoints(outer.path) == CodePoints(inner.path)
            if isOne, let table = outer.file.table, let other = inner.file.table, table != other { return false }
            return step == other || !outer.file.isConditional || !inner.file.isConditional
        }
        for (outer, inner) in pairs {
            let isOne = CodePoints(outer.path) == CodePoints(inner.path)
            errors.report(
                "same-file",
                isOne
                    ? "'\(outer.file.path)' and '\(inner.file.path)' are the same file"
                    : "'\(outer.file.path)' would be both a file and a folder of '\(inner.file.path)'",
                at: inner.file.span,
                secondary: [.init(outer.file.span, "the other")],
                help: ["Give each a name of its own."]
            )
        }
    }

    /// Adds an error if a step could not put its file at a path.
    ///
    /// - Parameter isInside: Whether the path is in the folder of the results, where a symbolic link is replaced.
    private mutating func checkReplaceable(_ path: String, isInside: Bool) {
        guard let obstacle = FileReplacement.obstacle(at: path, followsLinks: !isInside) else { return }
        let error = Diagnostic(
            "unwritable-file",
            "the file '\(path)' cannot be written: \(obstacle.message)",
            at: nil,
            help: ["Choose another path, or another folder with --out."],
            programHelp: ["Choose another path."]
        )
        if !errors.contains(error) { errors.append(error) }
    }

    /// Adds files that are read.
    package mutating func read(_ paths: [String]) {
        for path in paths where path != "-" {
            if let file = FileIdentity(path) { reads[file] = path }
        }
    }

    /// Adds the files that a run in a folder writes about itself.
    package mutating func addResults(in folder: String) {
        for name in RunFileNames.all { write("\(folder)/\(name)", as: .result) }
        resultFolders.insert(CodePoints(FileContents.resolvedPath(folder)))
        if let bodies = FileIdentity("\(folder)/\(RunFileNames.bodies)") { bodyFolders.insert(bodies) }
    }

    /// Adds a file that is written. If that would replace another file of the list, adds an error.
    package mutating func write(_ path: String, as purpose: Purpose) {
        guard path != "-", let file = FileIdentity(path) else { return }
        let isChosen = purpose.isChosen
        if isChosen || purpose == .state && FileContents.name(of: path) == RunFileNames.order, checksOtherRuns {
            checkOtherRuns("\(purpose.rawValue) '\(path)'", at: path)
        }
        let isOfBodies = FileIdentity(FileContents.folder(of: path)).map(bodyFolders.contains) ?? false
        let other = writes.updateValue((purpose, path), forKey: file)?.purpose ?? (isOfBodies ? .result : nil)
        let isRead = reads[file] != nil || isChosen && readsOfExpressions.contains(file)
        guard isRead || other != nil && (other != purpose || purpose == .report) else {
            if checksOtherRuns, isChosen || purpose == .step, FileLock.protects(path) {
                addClash("\(purpose.rawValue) '\(path)' would replace \(RunFiles.lockedFile)", "Choose another file.")
            }
            return
        }
        let message =
            purpose == .report && other == .report
            ? "two reports have the same file '\(path)'"
            : "\(purpose.rawValue) '\(path)' would replace a file that the run \(isRead ? "reads" : "itself writes")"
        addClash(
            message,
            purpose == .step ? "Choose another path, or another folder with --out." : "Choose another file.",
            programHelp: purpose == .step ? ["Choose another path."] : nil
        )
    }

    /// Adds an error if a file that the user chose would be written over a file of another run's results, or beside those of one
    /// that is running, which may write a file of that name.
    private mutating func checkOtherRuns(_ subject: String, at path: String) {
        let resolved = FileContents.resolvedPath(path)
        if let folder = RunFiles.folderOfRun(owning: resolved, inside: { resultFolders.contains(CodePoints($0)) }) {
            return addClash("\(subject) would replace a file of the run in '\(folder)'", "Choose another file.")
        }
        var folder = FileContents.folder(of: resolved)
        while folder != "/", folder != "." {
            if !resultFolders.contains(CodePoints(folder)), RunFolder.isLocked(folder) {
                addClash("\(subject) is in the folder of a run that is still running", "Choose another file.")
            }
            folder = FileContents.folder(of: folder)
        }
    }

    private mutating func addClash(_ message: String, _ help: String, programHelp: [String]? = nil) {
        errors.append(Diagnostic("same-file", message, at: nil, help: [help], programHelp: programHelp))
    }

    /// Adds the files of another run, and the errors about them. Runs of a suite must not write the same snapshot.
    package mutating func add(_ other: RunFileList) {
        errors += other.errors.filter { !errors.contains($0) }
        let shared = other.writes.filter { $0.value.purpose == .snapshot && writes[$0.key]?.purpose == .snapshot }
        for path in shared.values.map(\.path).sorted() {
            addClash("several manifests would write the snapshot '\(path)'", "Give each its own snapshot.")
        }
        reads.merge(other.reads) { first, _ in first }
        readsOfExpressions.formUnion(other.readsOfExpressions)
        writes.merge(other.writes) { first, _ in first }
        bodyFolders.formUnion(other.bodyFolders)
        resultFolders.formUnion(other.resultFolders)
    }

    /// Adds the files that the journals of runs list, and unfinished files, as far as they could be one of some reports.
    package mutating func addRecorded(in folders: [String], for reports: [String]) {
        // A report that does not exist yet replaces nothing.
        let names = Set(reports.compactMap(FileContents.canonicalPath).map(FileContents.name))
        guard !names.isEmpty else { return }
        let recorded = folders.flatMap { RunFiles.recorded(in: $0, named: names) }
        for path in recorded
            + reports.filter({
                RunFileNames.isOfUnfinishedFile(FileContents.name(of: $0)) && FileContents.canonicalPath($0) != nil
            })
        {
            if let file = FileIdentity(path) { writes[file] = (.step, path) }
        }
    }

    /// The paths of the files that no step may replace, whatever path it computes. Paths, because the run itself replaces some
    /// of these files, and the inode of a file that was removed is used again.
    var protectedPaths: [String] {
        Array(reads.values) + writes.values.filter { $0.purpose != .step }.map(\.path)
    }
}
