package import WaybillDiagnostics
package import WaybillFormats

/// Something that happened in a run: a line of the journal, and what observers are told.
package struct RunEvent: Sendable, Equatable {
    /// The number of the event in its run, from 1 and without gaps.
    package var seq: Int
    /// When it happened.
    package var at: Timestamp
    /// The path of the step that it happened in.
    package var step: String?
    /// The endpoint of the request that it is about.
    package var endpoint: String?
    /// What happened.
    package var kind: Kind

    /// An event; see the properties.
    package init(seq: Int, at: Timestamp, step: String?, endpoint: String? = nil, kind: Kind) {
        self.seq = seq
        self.at = at
        self.step = step
        self.endpoint = endpoint
        self.kind = kind
    }

    /// What can happen.
    ///
    /// Behind a reference, since an event is copied several times on its way and some say a lot.
    package indirect enum Kind: Sendable, Equatable {
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
        case stepFinished(StepResult, kept: KeptRecord? = nil)
        /// A step with `forEach` starts its elements; how many there are.
        case elementsStarted(count: Int)
        /// An element of a step with `forEach` has ended.
        case elementFinished(ElementEnd)
        /// A page of a step with `paginate` has been taken, and another one follows or the last one has been reached.
        case pageFinished(PageEnd)
        /// The condition of `until` did not hold; the number of the poll, from 1, and the time until the next one.
        case pollFinished(poll: Int, pause: Duration)
        /// A file of `write` is shorter than it was before the run was resumed, and is gone on with at its new end.
        case writeCut(CutFile)
        /// A file of `write` is complete, and is about to be put in its place.
        case writeCommitting(WrittenFile)
        /// A file of `write` is complete and in its place.
        case writeCommitted(WrittenFile)
        /// A file of `download` is complete and in its place.
        case downloadCommitted(DownloadedFile)
        /// A request is about to be sent.
        case requestWillSend(SentRequest)
        /// A request is sent to its last byte.
        case requestSent(attempt: Int, bytes: Int)
        /// More bytes of a request or its response were transferred. Reported at most ten times a second for each
        /// request.
        case requestProgress(Progress)
        /// A response redirects, and another request follows.
        case requestRedirected(Redirection)
        /// An attempt failed, and there is another one.
        case requestRetrying(Retry)
        /// A request used the cache, and whether its response came from there.
        case cacheUsed(attempt: Int, CacheUse)
        /// The status and the header of a response were received.
        case responseHead(ResponseHead)
        /// A response is complete.
        case responseFinished(attempt: Int, status: Int, PhaseTimes, ByteCounts)
        /// A request and its response in full, for requests with `debug`.
        case requestDebug(attempt: Int, RedactedJSON)
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
        /// The values of the manifest's inputs, for going on with the run; `nil` where a secret is among them.
        package var inputs: RedactedJSON?
        /// The states of the graphs that the run begins with, by graph.
        package var state: RedactedJSON?
        /// The file of the states, if there are any.
        package var stateFile: String?
        /// The limits of the run: `tags`, `notTags` and `only`, each a list of strings; absent if all steps are run.
        package var selection: RedactedJSON?
        /// Whether the mock server receives the requests.
        package var isMocked = false
        /// Whether the run goes on that the events before belong to.
        package var isResumed = false

        /// The beginning of a run; see the properties.
        package init(
            id: RunID,
            manifest: String,
            environment: String?,
            graphs: [String],
            inputs: RedactedJSON? = nil,
            state: RedactedJSON? = nil,
            stateFile: String? = nil,
            selection: RedactedJSON? = nil,
            isMocked: Bool = false,
            isResumed: Bool = false
        ) {
            self.id = id
            self.manifest = manifest
            self.environment = environment
            self.graphs = graphs
            self.inputs = inputs
            self.state = state
            self.stateFile = stateFile
            self.selection = selection
            self.isMocked = isMocked
            self.isResumed = isResumed
        }
    }

    /// What the journal keeps of a step, or an element, that has ended, so that a resumed run takes it as it is.
    package struct KeptRecord: Sendable, Equatable, JSONStreamable {
        /// What becomes of the step when the run is resumed.
        package enum Use: String, Sendable, CaseIterable {
            /// It passed, or its failure is tolerated, and it keeps its result.
            case taken
            /// Its request may have reached the server without a recorded response, and must not be sent twice: it keeps its
            /// result if its failure is tolerated, unless the resumed run repeats such requests.
            case unsure
            /// It keeps its result, and a request in it is unsure.
            case partly
        }

        /// What becomes of it.
        package var use: Use
        /// What later steps see of it: some of `ok`, `error`, `outputs`, `data`, `status`, `headers`, `time`, `items`.
        package var record: RedactedJSON?
        /// What later steps can use of it and the journal must not hold, because of a secret: `outputs.token`, `data`,
        /// `headers.set-cookie`, `items`.
        package var lost: [String]
        /// The domains whose cookies in the run's own jar it set: `api.example.com`, or `.example.com` for all hosts there.
        package var cookies: [RedactedText]
        /// A digest of the element, to find out whether the list has changed; `nil` for a secret one.
        package var element: String?

        /// What is kept; see the properties.
        package init(
            _ use: Use,
            record: RedactedJSON? = nil,
            lost: [String] = [],
            cookies: [RedactedText] = [],
            element: String? = nil
        ) {
            self.use = use
            self.record = record
            self.lost = lost
            self.cookies = cookies
            self.element = element
        }

        /// `{use, record, lost, cookies, element}`, without what is empty.
        package func addMembers(to object: inout JSONStream) {
            object.add("use", use.rawValue)
            object.add("record", record)
            if !lost.isEmpty { object.add("lost", each: lost) }
            if !cookies.isEmpty { object.add("cookies", each: cookies.map(\.string)) }
            object.add("element", element)
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

    /// A redirect: the response and the request that follows.
    package struct Redirection: Sendable, Equatable {
        /// Which try of the step it belongs to, from 1.
        package var attempt: Int
        /// The status of the response.
        package var status: Int
        /// The method of the request that follows.
        package var method: String
        /// Its address.
        package var url: RedactedText
        /// More about both, where the phases of the request are reported.
        package var details: Details?

        /// More about the response and the request that follows.
        package struct Details: Sendable, Equatable {
            /// The response's HTTP version, such as `1.1`.
            package var httpVersion: String
            /// The response's header fields.
            package var headers: [RedactedHeader]
            /// How long the response took.
            package var time: PhaseTimes
            /// The header fields of the request that follows, without those that the transport adds.
            package var nextHeaders: [RedactedHeader]

            /// The details; see the properties.
            package init(
                httpVersion: String,
                headers: [RedactedHeader],
                time: PhaseTimes,
                nextHeaders: [RedactedHeader]
            ) {
                self.httpVersion = httpVersion
                self.headers = headers
                self.time = time
                self.nextHeaders = nextHeaders
            }
        }

        /// A redirect; see the properties.
        package init(attempt: Int, status: Int, method: String, url: RedactedText, details: Details? = nil) {
            self.details = details
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
        /// What the element is, if it failed.
        package var subject: ElementSubject
        /// Where its records are, when the step writes any.
        package var records: RecordedOutput?

        /// What is kept of it for a resumed run.
        package var kept: KeptRecord?

        /// How an element ended; see the properties.
        package init(
            element: Int,
            outcome: StepOutcome,
            failure: Failure?,
            subject: ElementSubject = ElementSubject(),
            records: RecordedOutput? = nil,
            kept: KeptRecord? = nil
        ) {
            self.element = element
            self.outcome = outcome
            self.failure = failure
            self.subject = subject
            self.records = records
            self.kept = kept
        }
    }

    /// A page that has been taken.
    package struct PageEnd: Sendable, Equatable {
        /// Which page of the step, or of the element, it is, from 1.
        package var page: Int
        /// How many items it has.
        package var items: Int
        /// What asks for the next page: its URL, number, offset or cursor; `nil` when there is none.
        package var next: RedactedJSON?
        /// Where its records are, when the step writes any.
        package var records: RecordedOutput?
        /// Its items, where later steps need them.
        package var kept: RedactedJSON?
        /// The domains whose cookies in the run's own jar the pages so far set.
        package var cookies: [RedactedText]

        /// A page; see the properties.
        package init(
            page: Int,
            items: Int,
            next: RedactedJSON?,
            records: RecordedOutput?,
            kept: RedactedJSON? = nil,
            cookies: [RedactedText] = []
        ) {
            self.kept = kept
            self.cookies = cookies
            self.page = page
            self.items = items
            self.next = next
            self.records = records
        }
    }

    /// A file of records of which the end is gone.
    package struct CutFile: Sendable, Equatable {
        /// The path, as the manifest gives it.
        package var path: RedactedText
        /// What is left of it.
        package var rest: RecordSink.Resumption.Mark

        /// A file; see the properties.
        package init(path: RedactedText, rest: RecordSink.Resumption.Mark) {
            self.path = path
            self.rest = rest
        }
    }

    /// A file of records that is complete.
    package struct WrittenFile: Sendable, Equatable {
        /// The path, as the manifest gives it.
        package var path: RedactedText
        /// The table that the records are in, if the file is a database.
        package var table: String?
        /// How many records are in it.
        package var records: Int
        /// How many bytes it has.
        package var bytes: Int
        /// What `aggregate` computes over the records: an object; bytes are marked.
        package var aggregates: RedactedJSON?

        /// A file; see the properties.
        package init(
            path: RedactedText,
            table: String? = nil,
            records: Int,
            bytes: Int,
            aggregates: RedactedJSON? = nil
        ) {
            self.path = path
            self.table = table
            self.records = records
            self.bytes = bytes
            self.aggregates = aggregates
        }
    }

    /// A file that was downloaded.
    package struct DownloadedFile: Sendable, Equatable {
        /// The path, as the manifest gives it, with the name that it has in a folder.
        package var path: RedactedText
        /// How many bytes it has.
        package var bytes: Int
        /// Its SHA-256 digest, in hexadecimal, if the manifest uses it.
        package var sha256: String?
        /// Whether a part of it was there from an interrupted download.
        package var isResumed: Bool
        /// Whether it was there before, and was kept.
        package var isKept: Bool

        /// A file; see the properties.
        package init(path: RedactedText, bytes: Int, sha256: String?, isResumed: Bool, isKept: Bool = false) {
            self.path = path
            self.bytes = bytes
            self.sha256 = sha256
            self.isResumed = isResumed
            self.isKept = isKept
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

    /// The status and the header of a response.
    package struct ResponseHead: Sendable, Equatable {
        /// Which try of the step it belongs to, from 1.
        package var attempt: Int
        /// The status.
        package var status: Int
        /// The HTTP version, such as `1.1`, where it is known.
        package var httpVersion: String?
        /// The header fields.
        package var headers: [RedactedHeader]

        /// The status and the header of a response; see the properties.
        package init(attempt: Int, status: Int, httpVersion: String? = nil, headers: [RedactedHeader]) {
            self.httpVersion = httpVersion
            self.attempt = attempt
            self.status = status
            self.headers = headers
        }
    }
}
