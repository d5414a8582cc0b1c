import WaybillJSON
import WaybillResults

extension Run {
    /// What a run begins with.
    public struct Start: Sendable, Equatable {
        private let start: RunEvent.RunStart

        init(_ start: RunEvent.RunStart) {
            self.start = start
        }

        /// The run's name.
        public var id: String { start.id.description }

        /// The manifest's path, as it was given.
        public var manifest: String { start.manifest }

        /// The environment that is laid over the manifest.
        public var environment: String? { start.environment }

        /// The graphs that are run, in order.
        public var graphs: [String] { start.graphs }

        /// Whether the mock server receives the requests.
        public var isMocked: Bool { start.isMocked }

        /// Whether the run goes on that the events before belong to.
        public var isResumed: Bool { start.isResumed }
    }

    /// How an element of a step with `forEach` ended.
    public struct ElementEnd: Sendable, Equatable {
        private let end: RunEvent.ElementEnd

        init(_ end: RunEvent.ElementEnd) {
            self.end = end
        }

        /// Its place in the list, from 0.
        public var index: Int { end.element }

        /// How it ended.
        public var outcome: StepOutcome { StepOutcome(end.outcome) }

        /// Why it failed.
        public var failure: StepFailure? { end.failure.map(StepFailure.init) }
    }

    /// A page that has been taken.
    public struct Page: Sendable, Equatable {
        /// Which page of the step, or of the element, it is, from 1.
        public let number: Int
        /// How many items it has.
        public let items: Int
        /// What asks for the next page: its URL, number, offset or cursor; `nil` when there is none.
        public let next: Value?

        init(_ end: RunEvent.PageEnd) {
            number = end.page
            items = end.items
            next = end.next.map { Value($0.value) }
        }
    }

    /// A file of `write` of which the end is gone.
    public struct CutFile: Sendable, Equatable {
        /// The path, as the manifest gives it.
        public let path: String
        /// How many elements of the step, or pages, are still in it.
        public let count: Int
        /// How many records are still in it.
        public let records: Int
        /// How many bytes it still has.
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
        /// The path, as the manifest gives it.
        public let path: String
        /// The table that the records are in, if the file is a database.
        public let table: String?
        /// How many records are in it.
        public let records: Int
        /// How many bytes it has.
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
        /// The path, as the manifest gives it, with the name that it has in a folder.
        public let path: String
        /// How many bytes it has.
        public let bytes: Int
        /// Its SHA-256 digest, in hexadecimal, if the manifest uses it: as a checksum, or as `steps.ID.downloaded`.
        public let sha256: String?
        /// Whether a part of it was there from an interrupted download.
        public let isResumed: Bool
        /// Whether it was there before, and was kept.
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
