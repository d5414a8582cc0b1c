import WaybillJSON
import WaybillResults

extension Run {
    /// The start of a run.
    public struct Start: Sendable, Equatable {
        let start: RunEvent.RunStart

        /// The name of the run.
        public var id: String { start.id.description }

        /// The path of the manifest, as it was given.
        public var manifest: String { start.manifest }

        /// The environment that is applied to the manifest.
        public var environment: String? { start.environment }

        /// The graphs that are run, in order.
        public var graphs: [String] { start.graphs }

        /// Whether the mock server receives the requests.
        public var isMocked: Bool { start.isMocked }

        /// Whether this continues the run that the earlier events belong to.
        public var isResumed: Bool { start.isResumed }
    }

    /// The result of an element of a step with `forEach`.
    public struct ElementEnd: Sendable, Equatable {
        let end: RunEvent.ElementEnd

        /// The index in the list, from 0.
        public var index: Int { end.element }

        /// The outcome.
        public var outcome: StepOutcome { end.outcome }

        /// Why it failed.
        public var failure: StepFailure? { end.failure.map(StepFailure.init) }
    }

    /// A page that was received.
    public struct Page: Sendable, Equatable {
        let end: RunEvent.PageEnd

        /// The number of the page in the step, or in the element, from 1.
        public var number: Int { end.page }

        /// The number of its items.
        public var items: Int { end.items }

        /// What selects the next page: its URL, number, offset or cursor; `nil` if there is none.
        public var next: Value? { end.next.map { Value($0.value) } }
    }

    /// A file of `write` whose end is missing.
    public struct CutFile: Sendable, Equatable {
        let file: RunEvent.CutFile

        /// The path, as written in the manifest.
        public var path: String { file.path.string }

        /// The number of elements of the step, or of pages, that are still in it.
        public var count: Int { file.rest.count }

        /// The number of records that are still in it.
        public var records: Int { file.rest.records.count }

        /// The number of bytes that it still has.
        public var bytes: Int { file.rest.bytes }
    }

    /// A file of `write` that is complete.
    public struct WrittenFile: Sendable, Equatable {
        let file: RunEvent.WrittenFile

        /// The path, as written in the manifest.
        public var path: String { file.path.string }

        /// The table that the records are in, if the file is a database.
        public var table: String? { file.table }

        /// The number of records in it.
        public var records: Int { file.records }

        /// Its size in bytes.
        public var bytes: Int { file.bytes }

        /// What `aggregate` computes over the records, by name; an object, or `null` if there is no `aggregate`.
        public var aggregates: Value { Value(file.aggregates?.value ?? .null) }
    }

    /// A file of `download` that is complete.
    public struct DownloadedFile: Sendable, Equatable {
        let file: RunEvent.DownloadedFile

        /// The path, as written in the manifest; if that is a folder, with the name in it.
        public var path: String { file.path.string }

        /// Its size in bytes.
        public var bytes: Int { file.bytes }

        /// Its SHA-256 digest, in hexadecimal, if the manifest uses it: as a checksum, or as `steps.ID.downloaded`.
        public var sha256: String? { file.sha256 }

        /// Whether a part of it came from an interrupted download.
        public var isResumed: Bool { file.isResumed }

        /// Whether it already existed and was kept.
        public var isKept: Bool { file.isKept }
    }
}
