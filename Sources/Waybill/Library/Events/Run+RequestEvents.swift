import WaybillResults

extension Run {
    /// A header field. The values of credentials and cookies are masked.
    public struct HeaderField: Sendable, Equatable {
        let header: RedactedHeader

        /// The name.
        public var name: String { header.name.string }

        /// The value.
        public var value: String { header.value.string }
    }

    /// A request as it is about to be sent.
    public struct Request: Sendable, Equatable {
        let request: RunEvent.SentRequest

        /// The number of the step's attempt, from 1.
        public var attempt: Int { request.attempt }

        /// The method.
        public var method: String { request.method }

        /// The URL.
        public var url: String { request.url.string }

        /// The header fields, without those that the transport adds.
        public var headers: [HeaderField] { request.headers.map(HeaderField.init) }
    }

    /// A redirect: the response and the request that follows.
    public struct Redirection: Sendable, Equatable {
        let redirection: RunEvent.Redirection

        /// The number of the step's attempt, from 1.
        public var attempt: Int { redirection.attempt }

        /// The status of the response.
        public var status: Int { redirection.status }

        /// The method of the request that follows.
        public var method: String { redirection.method }

        /// The URL of the request that follows.
        public var url: String { redirection.url.string }
    }

    /// A failed attempt that is followed by another one.
    public struct Retry: Sendable, Equatable {
        let retry: RunEvent.Retry

        /// The number of the failed attempt, from 1.
        public var attempt: Int { retry.attempt }

        /// The time until the next attempt.
        public var pause: Duration { retry.pause }

        /// Why the attempt failed.
        public var failure: StepFailure { StepFailure(failure: retry.failure) }
    }

    /// The status and the header of a response.
    public struct ResponseHead: Sendable, Equatable {
        let head: RunEvent.ResponseHead

        /// The number of the step's attempt, from 1.
        public var attempt: Int { head.attempt }

        /// The status.
        public var status: Int { head.status }

        /// The header fields.
        public var headers: [HeaderField] { head.headers.map(HeaderField.init) }
    }

    /// A response that is complete.
    public struct Response: Sendable, Equatable {
        /// The number of the step's attempt, from 1.
        public let attempt: Int
        /// The status.
        public let status: Int
        /// How long it took.
        public let times: Times
        /// The number of bytes of the messages.
        public let bytes: Bytes
    }
}
