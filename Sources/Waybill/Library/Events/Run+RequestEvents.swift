import WaybillResults

extension Run {
    /// A header field; the values of those for credentials and cookies are masked.
    public struct HeaderField: Sendable, Equatable {
        /// Its name.
        public let name: String
        /// Its value.
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

        /// Which try of the step it is, from 1.
        public var attempt: Int { request.attempt }

        /// The method.
        public var method: String { request.method }

        /// The address.
        public var url: String { request.url.string }

        /// The header fields, without those that the transport adds.
        public var headers: [HeaderField] { request.headers.map(HeaderField.init) }
    }

    /// How far the transfer of a request is, in bytes of bodies as they travel.
    public struct Progress: Sendable, Equatable {
        /// Which try of the step it belongs to, from 1.
        public let attempt: Int
        /// Bytes sent.
        public let sent: Int
        /// Bytes to send, where there are any.
        public let sentTotal: Int?
        /// Bytes received.
        public let received: Int
        /// Bytes to receive, where that is known.
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
        /// Which try of the step it belongs to, from 1.
        public let attempt: Int
        /// The status of the response.
        public let status: Int
        /// The method of the request that follows.
        public let method: String
        /// Its address.
        public let url: String

        init(_ redirection: RunEvent.Redirection) {
            attempt = redirection.attempt
            status = redirection.status
            method = redirection.method
            url = redirection.url.string
        }
    }

    /// Another attempt.
    public struct Retry: Sendable, Equatable {
        /// Which try failed, from 1.
        public let attempt: Int
        /// How long it is until the next one.
        public let pause: Duration
        /// Why it failed.
        public let failure: StepFailure

        init(_ retry: RunEvent.Retry) {
            attempt = retry.attempt
            pause = retry.pause
            failure = StepFailure(retry.failure)
        }
    }

    /// The status and the header of a response.
    public struct ResponseHead: Sendable, Equatable {
        /// Which try of the step it belongs to, from 1.
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
        /// Which try of the step it belongs to, from 1.
        public let attempt: Int
        /// The status.
        public let status: Int
        /// How long it took.
        public let times: Times
        /// The bytes of the messages.
        public let bytes: Bytes
    }
}
