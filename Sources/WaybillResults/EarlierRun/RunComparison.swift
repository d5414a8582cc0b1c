import WaybillDiagnostics
package import WaybillJSON
import WaybillRuntime

/// The differences between two runs of a manifest.
public struct RunComparison: Sendable, Equatable {
    /// The difference between two results of a step.
    public enum StepChange: Sendable, Equatable {
        /// The earlier run does not have the step.
        case added(StepResult)
        /// The later run does not have the step.
        case removed(StepResult)
        /// The outcome, the status, the counts of elements or the message of the failure differ.
        case outcome(before: StepResult, after: StepResult)
        /// The outcome is the same, but the duration differs.
        case time(before: StepResult, after: StepResult)
    }

    /// A value that differs. It is `nil` in a run that does not have it.
    public struct Change<Value: Sendable & Equatable>: Sendable, Equatable {
        /// What it is: the graph and the name of an output, such as `main.count`; the path of a file, followed by the name of
        /// the table if it is a database.
        public var name: String
        /// The value in the earlier run.
        public var before: Value?
        /// The value in the later run.
        public var after: Value?

        /// Creates a change; see the properties.
        package init(name: String, before: Value?, after: Value?) {
            self.name = name
            self.before = before
            self.after = after
        }
    }

    /// The content of a file.
    public struct FileContent: Sendable, Equatable {
        /// The number of records; `nil` for a download.
        public var records: Int?
        /// The size in bytes; `nil` for a database, which has other tables.
        public var bytes: Int?
        /// The CRC-32 or the SHA-256 in hexadecimal; `nil` if the journal does not have it.
        package var digest: String?

        package init(of file: RunFiles.File) {
            if case .written(let written) = file { records = written.records }
            bytes = file.bytes
            digest = file.digest.sha256 ?? file.digest.crc32.map { String($0, radix: 16) }
        }
    }

    /// An element of a `forEach` that failed in one of the runs only.
    public struct ElementChange: Sendable, Equatable {
        /// The path of the element, such as `main.items[3]`.
        public var path: String
        /// The failure.
        public var failure: ElementResults.ElementFailure
        /// Whether the element failed in the later run, and not in the earlier one.
        public var failsNow: Bool
    }

    /// The content of the folder of a run that is compared.
    package struct Side: Sendable {
        /// The summary of the run.
        package let result: RunResult
        fileprivate let outputs: JSON
        fileprivate let files: RunFiles
        private let folder: String?

        /// Reads the files of a run from its folder.
        package init(_ result: RunResult, outputs: JSON, folder: String?) {
            self.result = result
            self.outputs = outputs
            self.folder = folder
            files = RunFiles(folder: folder)
        }

        /// The content of a file in the folder of the run; `nil` if it is elsewhere, too large or no longer as it was recorded.
        fileprivate func bytes(of path: String, _ content: FileContent) -> [UInt8]? {
            guard let folder, let size = content.bytes, size <= Side.maximumSize else { return nil }
            let bytes = try? FolderContents.file(path, in: folder).read(limit: Side.maximumSize)
            return bytes?.count == size ? bytes : nil
        }

        private static let maximumSize = 64 << 20
    }

    /// The steps that differ, in the order of the later run. Steps that the later run does not have come last.
    public let steps: [StepChange]
    /// The elements that failed in one of the runs only, in the order of the later run's steps.
    public let elements: [ElementChange]
    /// The files whose content differs, as far as the journals tell, in the order of the later run. Files that the later run
    /// did not write come last.
    public let files: [Change<FileContent>]
    /// What was not compared: files of which the journals have no digest and whose content is not in the folders, tables, and
    /// the files of elements.
    public let uncompared: [String]
    /// The outputs of graphs that differ, by name.
    package let outputChanges: [Change<JSON>]

    /// Whether nothing differs of what was compared.
    public var isEmpty: Bool {
        steps.isEmpty && elements.isEmpty && files.isEmpty && outputChanges.isEmpty
    }

    /// Compares a run with an earlier one.
    package init(of later: Side, against before: Side) {
        let (run, earlier) = (later.result, before.result)
        let (contents, earlierContents) = (Self.contents(of: later.files), Self.contents(of: before.files))
        var uncompared: [String] = []
        files =
            contents.compactMap { name, path, content in
                let old = earlierContents.first { $0.name == name }?.content
                let change = Change(name: name, before: old, after: content)
                guard let old, old.records == content.records, old.bytes == content.bytes else { return change }
                if let digest = content.digest, let earlier = old.digest { return digest == earlier ? nil : change }
                if let bytes = later.bytes(of: path, content), let earlier = before.bytes(of: path, old) {
                    return bytes == earlier ? nil : change
                }
                uncompared.append("the content of \(name)")
                return nil
            }
            + earlierContents.filter { old in !contents.contains { $0.name == old.name } }.map { name, _, content in
                Change(name: name, before: content, after: nil)
            }
        if later.files.hasFilesOfElements || before.files.hasFilesOfElements { uncompared.append("files of elements") }
        self.uncompared = uncompared
        let earlierSteps = Dictionary(earlier.steps.map { ($0.path, $0) }) { first, _ in first }
        let paths = Set(run.steps.map(\.path))
        steps =
            run.steps.compactMap { step in
                guard step.isCounted || earlierSteps[step.path]?.isCounted == true else { return nil }
                guard let old = earlierSteps[step.path] else { return .added(step) }
                if old.result != step.result { return .outcome(before: old, after: step) }
                return Self.differ(old.time?.total, step.time?.total) ? .time(before: old, after: step) : nil
            } + earlier.steps.filter { $0.isCounted && !paths.contains($0.path) }.map { .removed($0) }
        elements = run.steps.flatMap { step in
            guard let new = step.elements, let old = earlierSteps[step.path]?.elements else { return [ElementChange]() }
            return Self.changes(of: new, against: old, step: step.path)
        }
        let (old, new) = (Self.named(before.outputs), Self.named(later.outputs))
        outputChanges = Set(old.keys).union(new.keys).sorted().compactMap { name in
            old[name] == new[name] ? nil : Change(name: name, before: old[name], after: new[name])
        }
    }

    /// Returns the elements of a step that failed in one of two runs and passed in the other one, by index.
    private static func changes(
        of elements: ElementResults,
        against earlier: ElementResults,
        step: String
    ) -> [ElementChange] {
        func changes(_ failing: ElementResults, _ passing: ElementResults, failsNow: Bool) -> [ElementChange] {
            failing.failures.filter { $0.failure.kind != .cancelled && passing.hasPassed($0.index) }.map {
                ElementChange(path: "\(step)[\($0.index)]", failure: $0, failsNow: failsNow)
            }
        }
        return (changes(elements, earlier, failsNow: true) + changes(earlier, elements, failsNow: false))
            .sorted { $0.failure.index < $1.failure.index }
    }

    /// Returns the content of each file, by path and table.
    private static func contents(of files: RunFiles) -> [(name: String, path: String, content: FileContent)] {
        files.files.map { _, file in
            let table = if case .written(let written) = file { written.table } else { String?.none }
            let path = file.path.string
            return (path + (table.map { ", table \($0)" } ?? ""), path, FileContent(of: file))
        }
    }

    /// Whether two durations differ by more than half of the shorter one, and by more than 100 ms, because a busy machine
    /// explains smaller differences.
    private static func differ(_ first: Duration?, _ second: Duration?) -> Bool {
        guard let first, let second else { return false }
        let (shorter, longer) = (min(first, second), max(first, second))
        return longer - shorter > .milliseconds(100) && longer > shorter * 1.5
    }

    private static func named(_ outputs: JSON) -> [String: JSON] {
        var named: [String: JSON] = [:]
        for (graph, values) in outputs.object ?? JSONObject() {
            for (name, value) in values.object ?? JSONObject() { named["\(graph).\(name)"] = value }
        }
        return named
    }
}

extension StepResult {
    /// The properties of a step that are compared, apart from its times.
    fileprivate var result: [String?] {
        [outcome.rawValue, status.map(String.init), failure?.message.string, elements?.counts.summary]
    }
}
