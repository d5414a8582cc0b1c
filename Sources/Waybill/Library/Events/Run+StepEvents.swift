import WaybillJSON
import WaybillResults

extension Run {
    /// The start of a run.
    public struct Start: Sendable, Equatable {
        private let start: RunEvent.RunStart

        init(_ start: RunEvent.RunStart) {
            self.start = start
        }

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
        private let end: RunEvent.ElementEnd

        init(_ end: RunEvent.ElementEnd) {
            self.end = end
        }

        /// The index in the list, from 0.
        public var index: Int { end.element }

        /// The outcome.
        public var outcome: StepOutcome { StepOutcome(end.outcome) }

        /// Why it failed.
        public var failure: StepFailure? { end.failure.map(StepFailure.init) }
    }

    /// A page that was received.
    public struct Page: Sendable, Equatable {
        /// The number of the page in the step, or in the element, from 1.
        public let number: Int
        /// The number of its items.
        public let items: Int
        /// What selects the next page: its URL, number, offset or cursor; `nil` if there is none.
        public let next: Value?

        init(_ end: RunEvent.PageEnd) {
            number = end.page
            items = end.items
            next = end.next.map { Value($0.value) }
        }
    }

    /// A file of `write` whose end is missing.
    public struct CutFile: Sendable, Equatable {
        /// The path, as written in the manifest.
        public let path: String
        /// The number of elements of the step, or of pages, that are still in it.
        public let count: Int
        /// The number of records that are still in it.
        public let records: Int
        /// The number of bytes that it still has.
        public let bytes: Int

        init(_ file: RunEvent.CutFile) {
            path = file.path.string
            count = file.rest.count
            records = file.rest.records.count
            bytes = file.rest.bytes
        }
    }

    /// A file of `write` that is complete.
    public struct WrittenFile: Sendable, Equatable {
        /// The path, as written in the manifest.
        public let path: String
        /// The table that the records are in, if the file is a database.
        public let table: String?
        /// The number of records in it.
        public let records: Int
        /// Its size in bytes.
        public let bytes: Int
        /// What `aggregate` computes over the records, by name; an object, or `null` if there is no `aggregate`.
        public let aggregates: Value

        init(_ file: RunEvent.WrittenFile) {
            path = file.path.string
            table = file.table
            records = file.records
            bytes = file.bytes
            aggregates = Value(file.aggregates?.value ?? .null)
        }
    }

    /// A file of `download` that is complete.
    public struct DownloadedFile: Sendable, Equatable {
        /// The path, as written in the manifest; if that is a folder, with the name in it.
        public let path: String
        /// Its size in bytes.
        public let bytes: Int
        /// Its SHA-256 digest, in hexadecimal, if the manifest uses it: as a checksum, or as `steps.ID.downloaded`.
        public let sha256: String?
        /// Whether a part of it came from an interrupted download.
        public let isResumed: Bool
        /// Whether it already existed and was kept.
        public let isKept: Bool

        init(_ file: RunEvent.DownloadedFile) {
            path = file.path.string
            bytes = file.bytes
            sha256 = file.sha256
            isResumed = file.isResumed
            isKept = file.isKept
        }
    }
}
