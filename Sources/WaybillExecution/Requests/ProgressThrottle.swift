package import WaybillTransport

/// Decides which news of a transfer's progress are told: at most ten a second in each direction, and always the last.
package struct ProgressThrottle: Sendable {
    /// Which way bytes travel.
    package enum Direction: String, Sendable, Hashable, CaseIterable {
        case sent, received
    }

    /// What is told: how far one direction has come.
    package struct Update: Sendable, Hashable {
        /// Which way.
        package var direction: Direction
        /// Bytes of body so far, as they travel.
        package var bytes: Int
        /// Bytes of body in all; nil when that is not known.
        package var total: Int?

        /// News; see the properties.
        package init(direction: Direction, bytes: Int, total: Int?) {
            self.direction = direction
            self.bytes = bytes
            self.total = total
        }

        fileprivate var isWhole: Bool { bytes == total }
    }

    /// One direction.
    private struct Course {
        /// The latest news.
        var latest: Update?
        /// The latest that were told, and when.
        var told: (update: Update, at: ContinuousClock.Instant)?
    }

    /// The least time between two news of one direction.
    private static let interval = Duration.milliseconds(100)

    private let now: @Sendable () -> ContinuousClock.Instant
    private var sent = Course()
    private var received = Course()

    /// A throttle for one try of a request.
    ///
    /// - Parameter now: The clock that the times between news are taken from.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// What is to be told of new progress. Nothing is told of a direction in which nothing travels. Where counts go down,
    /// a hop of a redirect has begun, and they are told like others.
    package mutating func take(_ progress: TransferProgress) -> [Update] {
        let now = now()
        return [
            Self.take(.init(direction: .sent, bytes: progress.sent, total: progress.sentTotal), &sent, now),
            Self.take(
                .init(direction: .received, bytes: progress.received, total: progress.receivedTotal),
                &received,
                now
            ),
        ].compactMap { $0 }
    }

    /// What is left to tell at the end: the last news where they were held back, and of a transfer that has come to its
    /// end as it should, that all is there of what was told before to be a part.
    package mutating func finish(isComplete: Bool) -> [Update] {
        defer { (sent, received) = (Course(), Course()) }
        return [sent, received].compactMap { course in
            guard var last = course.latest, last.bytes > 0 else { return nil }
            if isComplete, let total = last.total { last.bytes = total }
            return last == course.told?.update ? nil : last
        }
    }

    private static func take(_ update: Update, _ course: inout Course, _ now: ContinuousClock.Instant) -> Update? {
        course.latest = update
        guard update.bytes > 0, update != course.told?.update else { return nil }
        // The end of one direction waits for nobody, and comes once.
        let isEnd = update.isWhole && course.told?.update.isWhole != true
        if let told = course.told, !isEnd, now - told.at < interval { return nil }
        course.told = (update, now)
        return update
    }
}
