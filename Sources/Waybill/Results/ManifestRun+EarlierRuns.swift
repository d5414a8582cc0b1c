import WaybillFormats
import WaybillJSON
import WaybillPipeline
import WaybillResults
import WaybillRuntime

extension ManifestRun.Report {
    /// Reads the results of a run from its folder. The run may be one of the program, of this process, or of another
    /// one; it may be running, or have been killed.
    ///
    /// ```swift
    /// let report = try ManifestRun.Report(contentsOf: "latest")
    /// ```
    ///
    /// - Parameter folder: The folder of the run's results, or the name of a run in `waybill-results`, or `latest`.
    /// - Throws: ``RunError`` if the folder does not contain a run, if its journal is damaged, or if the folder is that of
    ///   runs of several manifests: ``ManifestRun/earlierRuns(in:)`` lists these.
    public init(contentsOf folder: String) throws(RunError) {
        let path = RunFolders.folder(of: folder)
        if RunFolders.suite(of: folder) != nil {
            throw RunError(.unreadableRun, "'\(path)' contains runs of several manifests, each in a folder of its own")
        }
        guard let entry = RunFolders.entry(of: path), let result = entry.summary else {
            throw RunFolders.missingRun(folder)
        }
        let isFinished = entry.result != nil
        guard let outputs = RunFolder.outputs(in: path) ?? (isFinished ? nil : [:]) else {
            throw RunError(
                .unreadableRun,
                "'\(path)/\(RunFileNames.outputs)', the outputs of the run, is missing or damaged"
            )
        }
        self.init(result, outputs: outputs, folder: path, isFinished: isFinished)
    }

    /// The events of the run, as far as they are recorded in `events.ndjson`.
    public var events: ManifestRun.RecordedEvents { ManifestRun.RecordedEvents(folder: folder) }

    /// Reads the body of the last response of a step, or of an element of a `forEach`, such as `main.items[3]`.
    ///
    /// - Returns: The bytes as they were received; `nil` if they were not kept. The bodies of responses that made a step
    ///   fail are kept, others only if the run was asked to.
    /// - Throws: ``RunError`` if the file of the body cannot be read.
    public func keptBody(of step: String) throws(RunError) -> [UInt8]? {
        guard let folder, let file = KeptBodies(folder: folder).path(of: step) else { return nil }
        do throws(FileError) {
            return try FileContents.read(file, limit: .max)
        } catch {
            throw RunError(.unreadableRun, "cannot read '\(file)': \(error.message)")
        }
    }

    /// Returns what differs from an earlier run of the manifest: outcomes, times, elements, files and outputs.
    public func changes(since earlier: ManifestRun.Report) -> ManifestRun.Changes {
        RunComparison(
            of: RunComparison.Side(result, outputs: outputs.json, folder: folder),
            against: RunComparison.Side(earlier.result, outputs: earlier.outputs.json, folder: earlier.folder)
        )
    }
}

extension ManifestRun {
    /// A run in a folder of runs.
    public struct EarlierRun: Sendable {
        /// The name of the run, such as `20261121-052703-k3v9qa`.
        public let id: String
        /// The folder of the results, for ``ManifestRun/Report/init(contentsOf:)`` and `resume`.
        public let folder: String
        /// The path of the manifest, as it was specified.
        public let manifest: String
        /// The outcome; `nil` if the run is running, was killed, or is damaged.
        public let outcome: Outcome?
        /// Whether the run is still running.
        public let isRunning: Bool
        /// Whether the run's summary or journal is damaged, so that its report cannot be read. The name, the manifest and the
        /// start are those that the rest of its files have.
        public let isDamaged: Bool
        /// When the run first started.
        public let startedAt: Timestamp

        fileprivate init?(_ entry: RunFolders.Entry) {
            guard let summary = entry.summary else { return nil }
            id = summary.id.description
            folder = entry.folder
            manifest = summary.manifest
            outcome = entry.result?.outcome
            isRunning = outcome == nil && entry.isRunning
            isDamaged = false
            startedAt = summary.startedAt
        }

        /// Creates the run of a damaged folder; `nil` if none was started there.
        ///
        /// - Parameters:
        ///   - name: The name of the run or of the runs of several manifests.
        ///   - manifest: The manifest, if it is one of several.
        fileprivate init?(damaged folder: String, in name: RunID?, of manifest: String) {
            guard RunFolders.missingResult(of: folder) != nil else { return nil }
            let record = try? RunRecord(folder: folder)
            id = record?.id.description ?? name?.description ?? FileContents.name(of: folder)
            self.folder = folder
            self.manifest = record?.manifest ?? manifest
            outcome = nil
            isRunning = RunFolder.isLocked(folder)
            isDamaged = !isRunning
            startedAt = record?.startedAt ?? name?.startedAt ?? Timestamp(nanoseconds: 0)
        }
    }

    /// Lists the runs in a folder, the newest first. The runs of several manifests that were started together follow each
    /// other, in the order of the manifests; those that were not started are left out. Damaged runs are listed as such.
    ///
    /// - Parameter folder: The folder that contains the folders of the runs, which are named like runs; or a folder with
    ///   runs of several manifests.
    /// - Throws: ``RunError`` if the folder cannot be read.
    public static func earlierRuns(in folder: String = "waybill-results") throws(RunError) -> [EarlierRun] {
        var folders = [folder]
        if SuiteFolder(at: folder) == nil {
            do throws(FileError) {
                folders = try OldRuns.folders(in: folder).map { "\(folder)/\($0)" }
            } catch {
                throw RunError(.unreadableRun, "cannot read '\(folder)': \(error.message)")
            }
        }
        return folders.flatMap { folder in
            let name = RunID(FileContents.name(of: folder))
            let runs = SuiteFolder(at: folder)?.members.map { ($0.folder, $0.manifest) } ?? [(folder, "")]
            return runs.compactMap { run, manifest in
                RunFolders.entry(of: run).flatMap(EarlierRun.init)
                    ?? EarlierRun(damaged: run, in: name, of: manifest)
            }
        }
    }
}

extension ManifestRun.EarlierRun: CustomStringConvertible {
    /// `20261121-052703-k3v9qa shop.yaml: passed`
    public var description: String {
        "\(id) \(manifest): \(outcome?.rawValue ?? (isRunning ? "running" : isDamaged ? "damaged" : "unfinished"))"
    }
}
