package import WaybillData
package import WaybillDiagnostics

/// Something that happened in a run: a line of the journal, and what observers are told.
package struct RunEvent: Sendable, Equatable {
    /// The number of the event in its run, from 1 and without gaps.
    package var seq: Int
    /// When it happened.
    package var at: Timestamp
    /// The path of the step that it happened in.
    package var step: String?
    /// What happened.
    package var kind: Kind

    /// An event; see the properties.
    package init(seq: Int, at: Timestamp, step: String?, kind: Kind) {
        self.seq = seq
        self.at = at
        self.step = step
        self.kind = kind
    }

    /// What can happen.
    package enum Kind: Sendable, Equatable {
        /// The first event of every run.
        case runStarted(RunStart)
        /// The run is held up, or a step of it: nothing of it begins, and transfers wait.
        case runPaused
        /// The run goes on, or the step.
        case runUnpaused
        /// The last event of every run that was not killed.
        case runFinished(RunOutcome, OutcomeCounts)
        /// A graph begins.
        case graphStarted(graph: String)
        /// The steps of a graph have ended, and those of its `finally` begin.
        case graphFinishing(graph: String)
        /// A graph has ended.
        case graphFinished(graph: String, StepOutcome)
        /// A step begins.
        case stepStarted
        /// A step will not begin.
        case stepSkipped(SkipReason)
        /// A step has ended, and what depends on it may begin.
        case stepFinished(StepResult)
        /// An element of a step with `forEach` has ended.
        case elementFinished(ElementEnd)
        /// A request is about to be sent.
        case requestWillSend(SentRequest)
        /// A request is sent to its last byte.
        case requestSent(attempt: Int, bytes: Int)
        /// More of a request or its answer has travelled. At most ten a second come of each request.
        case requestProgress(Progress)
        /// An answer leads elsewhere, and a request follows.
        case requestRedirected(Redirection)
        /// An attempt failed, and there is another one.
        case requestRetrying(Retry)
        /// The head of an answer has come.
        case responseHead(ResponseHead)
        /// An answer is complete.
        case responseFinished(attempt: Int, status: Int, PhaseTimes, ByteCounts)
        /// The session of a service was fetched anew, since a server refused the one before.
        case sessionRenewed(service: String)
        /// Words for whoever reads the run.
        case log(RedactedText)
        /// Something that may not be as it was meant, and where in the manifest.
        case warning(RedactedText, at: SourceSpan?)
    }

    /// What a run begins with.
    package struct RunStart: Sendable, Equatable {
        /// The run's name.
        package var id: RunID
        /// The manifest's path, as it was given.
        package var manifest: String
        /// The environment that was laid over the manifest.
        package var environment: String?
        /// The graphs that are run, in order.
        package var graphs: [String]

        /// The beginning of a run; see the properties.
        package init(id: RunID, manifest: String, environment: String?, graphs: [String]) {
            self.id = id
            self.manifest = manifest
            self.environment = environment
            self.graphs = graphs
        }
    }

    /// Why a step does not begin.
    package enum SkipReason: String, Sendable, CaseIterable {
        /// Its `when` is false.
        case condition
        /// Something before it failed.
        case failure
        /// The chain was ended early, with success.
        case ended
        /// The run is being stopped.
        case interrupted
    }

    /// A request as it is about to be sent.
    package struct SentRequest: Sendable, Equatable {
        /// Which try of the step it is, from 1.
        package var attempt: Int
        /// The method.
        package var method: String
        /// The address.
        package var url: RedactedText
        /// The header fields, without those that the transport adds.
        package var headers: [RedactedHeader]

        /// A request; see the properties.
        package init(attempt: Int, method: String, url: RedactedText, headers: [RedactedHeader]) {
            self.attempt = attempt
            self.method = method
            self.url = url
            self.headers = headers
        }
    }

    /// How far the transfer of a request is, in bytes of bodies as they travel.
    package struct Progress: Sendable, Equatable {
        /// Which try of the step it belongs to, from 1.
        package var attempt: Int
        /// Bytes sent.
        package var sent: Int
        /// Bytes to send, where there are any.
        package var sentTotal: Int?
        /// Bytes received.
        package var received: Int
        /// Bytes to receive, where that is known.
        package var receivedTotal: Int?

        /// How far a transfer is; see the properties.
        package init(attempt: Int, sent: Int, sentTotal: Int?, received: Int, receivedTotal: Int?) {
            self.attempt = attempt
            self.sent = sent
            self.sentTotal = sentTotal
            self.received = received
            self.receivedTotal = receivedTotal
        }
    }

    /// What an answer leads to.
    package struct Redirection: Sendable, Equatable {
        /// Which try of the step it belongs to, from 1.
        package var attempt: Int
        /// The status of the answer.
        package var status: Int
        /// The method of the request that follows.
        package var method: String
        /// Its address.
        package var url: RedactedText

        /// What an answer leads to; see the properties.
        package init(attempt: Int, status: Int, method: String, url: RedactedText) {
            self.attempt = attempt
            self.status = status
            self.method = method
            self.url = url
        }
    }

    /// How an element of a step with `forEach` ended.
    package struct ElementEnd: Sendable, Equatable {
        /// The element's place in the list, from 0.
        package var element: Int
        /// How it ended.
        package var outcome: StepOutcome
        /// Why it failed.
        package var failure: Failure?

        /// How an element ended; see the properties.
        package init(element: Int, outcome: StepOutcome, failure: Failure?) {
            self.element = element
            self.outcome = outcome
            self.failure = failure
        }
    }

    /// Another attempt.
    package struct Retry: Sendable, Equatable {
        /// Which try failed, from 1.
        package var attempt: Int
        /// How long it is until the next one.
        package var pause: Duration
        /// Why it failed.
        package var failure: Failure

        /// Another attempt; see the properties.
        package init(attempt: Int, pause: Duration, failure: Failure) {
            self.attempt = attempt
            self.pause = pause
            self.failure = failure
        }
    }

    /// The head of an answer.
    package struct ResponseHead: Sendable, Equatable {
        /// Which try of the step it belongs to, from 1.
        package var attempt: Int
        /// The status.
        package var status: Int
        /// The header fields.
        package var headers: [RedactedHeader]

        /// The head of an answer; see the properties.
        package init(attempt: Int, status: Int, headers: [RedactedHeader]) {
            self.attempt = attempt
            self.status = status
            self.headers = headers
        }
    }
}
