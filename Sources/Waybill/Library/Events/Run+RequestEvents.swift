import WaybillResults

extension Run {
    /// A header field. The values of credentials and cookies are masked.
    public struct HeaderField: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The value.
        public let value: String

        init(_ header: RedactedHeader) {
            name = header.name.string
            value = header.value.string
        }
    }

    /// A request as it is about to be sent.
    public struct Request: Sendable, Equatable {
        private let request: RunEvent.SentRequest

        init(_ request: RunEvent.SentRequest) {
            self.request = request
        }

        /// The number of the step's attempt, from 1.
        public var attempt: Int { request.attempt }

        /// The method.
        public var method: String { request.method }

        /// The URL.
        public var url: String { request.url.string }

        /// The header fields, without those that the transport adds.
        public var headers: [HeaderField] { request.headers.map(HeaderField.init) }
    }

    /// The progress of a request's transfer, in bytes of the bodies as they are transferred.
    public struct Progress: Sendable, Equatable {
        /// The number of the step's attempt, from 1.
        public let attempt: Int
        /// The number of bytes sent.
        public let sent: Int
        /// The number of bytes to send, if there are any.
        public let sentTotal: Int?
        /// The number of bytes received.
        public let received: Int
        /// The number of bytes to receive, if known.
        public let receivedTotal: Int?

        init(_ progress: RunEvent.Progress) {
            attempt = progress.attempt
            sent = progress.sent
            sentTotal = progress.sentTotal
            received = progress.received
            receivedTotal = progress.receivedTotal
        }
    }

    /// A redirect: the response and the request that follows.
    public struct Redirection: Sendable, Equatable {
        /// The number of the step's attempt, from 1.
        public let attempt: Int
        /// The status of the response.
        public let status: Int
        /// The method of the request that follows.
        public let method: String
        /// The URL of the request that follows.
        public let url: String

        init(_ redirection: RunEvent.Redirection) {
            attempt = redirection.attempt
            status = redirection.status
            method = redirection.method
            url = redirection.url.string
        }
    }

    /// A failed attempt that is followed by another one.
    public struct Retry: Sendable, Equatable {
        /// The number of the failed attempt, from 1.
        public let attempt: Int
        /// The time until the next attempt.
        public let pause: Duration
        /// Why the attempt failed.
        public let failure: StepFailure

        init(_ retry: RunEvent.Retry) {
            attempt = retry.attempt
            pause = retry.pause
            failure = StepFailure(retry.failure)
        }
    }

    /// The status and the header of a response.
    public struct ResponseHead: Sendable, Equatable {
        /// The number of the step's attempt, from 1.
        public let attempt: Int
        /// The status.
        public let status: Int
        /// The header fields.
        public let headers: [HeaderField]

        init(_ head: RunEvent.ResponseHead) {
            attempt = head.attempt
            status = head.status
            headers = head.headers.map(HeaderField.init)
        }
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
