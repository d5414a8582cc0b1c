import WaybillPipeline
import WaybillResults

extension ManifestRun {
    /// The events in the journal of a run, in order. They are read from the file while they are iterated, which blocks the
    /// task for the time of that.
    ///
    /// ```swift
    /// for try await event in report.events { print(event) }
    /// ```
    ///
    /// The sequence ends at the last complete event; events of later versions are left out. It throws a ``RunError`` if
    /// the journal cannot be read, or at the first damaged line.
    public struct RecordedEvents: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = Event
        /// The error of a journal that cannot be read.
        public typealias Failure = RunError

        let folder: String?

        /// Returns an iterator over all events.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(folder: folder) }

        /// An iterator over the events in a journal.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let folder: String?
            private var events: JournalEvents?

            fileprivate init(folder: String?) {
                self.folder = folder
            }

            /// Returns the next event; `nil` after the last one.
            public mutating func next() async throws(RunError) -> Event? {
                try await next(isolation: nil)
            }

            /// Returns the next event; `nil` after the last one.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(RunError) -> Event? {
                guard let folder else {
                    throw RunError(.unreadableRun, "the run has no folder with its events")
                }
                do throws(ResultsError) {
                    if events == nil { events = try JournalEvents(folder: folder) }
                    guard let event = try events?.next() else { return nil }
                    return Event(event, missedBefore: 0)
                } catch {
                    throw RunError(.unreadableRun, error.description)
                }
            }
        }
    }
}
