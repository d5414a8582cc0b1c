package import WaybillDiagnostics
package import WaybillFormats

/// An event of a run: a line of the journal, and what observers receive.
public struct RunEvent: Sendable, Equatable {
    /// The number of the event in its run, from 1 and without gaps.
    package var seq: Int
    /// When it happened.
    package var at: Timestamp
    /// The path of the step in which it happened.
    package var step: String?
    /// The endpoint of the request that the event is about.
    package var endpoint: String?
    /// What happened.
    package var kind: Kind

    /// Creates an event; see the properties.
    package init(seq: Int, at: Timestamp, step: String? = nil, endpoint: String? = nil, kind: Kind) {
        self.seq = seq
        self.at = at
        self.step = step
        self.endpoint = endpoint
        self.kind = kind
    }

    /// The kinds of event, with their data.
    ///
    /// Stored indirectly, because an event is copied several times and some kinds are large.
    package indirect enum Kind: Sendable, Equatable {
        /// The first event of every run.
        case runStarted(RunStart)
        /// The run or a step is paused: nothing in it starts, and transfers wait.
        case runPaused
        /// The run or the step continues.
        case runUnpaused
        /// The last event of every run that was not killed.
        case runFinished(RunOutcome, OutcomeCounts)
        /// A graph starts.
        case graphStarted(graph: String)
        /// The steps of a graph have finished, and those of its `finally` start.
        case graphFinishing(graph: String)
        /// A graph has finished.
        case graphFinished(graph: String, StepOutcome)
        /// A step starts.
        case stepStarted
        /// A step will not be started.
        case stepSkipped(SkipReason, group: StepGroup? = nil)
        /// A step has finished, and the steps that depend on it may start.
        case stepFinished(StepResult, kept: KeptRecord? = nil)
        /// A step with `forEach` starts its elements, of which there are `count`. If they are those of one shard, `list`
        /// describes the list of all shards.
        case elementsStarted(count: Int, of: ShardedList? = nil)
        /// An element of a step with `forEach` has finished.
        case elementFinished(ElementEnd)
        /// A page of a step with `paginate` has been processed. Another page follows, or it was the last one.
        case pageFinished(PageEnd)
        /// The condition of `until` did not hold. `poll` is the number of the poll, from 1, and `pause` the time until
        /// the next.
        case pollFinished(poll: Int, pause: Duration)
        /// The records of a shard are complete in the unfinished file.
        case writeSharded(ShardFile)
        /// A file of `write` has lost its end when the run is resumed, and is continued before it.
        case writeCut(CutFile)
        /// A file of `write` is complete and about to be moved to its path.
        case writeCommitting(WrittenFile)
        /// A file of `write` is complete and at its path.
        case writeCommitted(WrittenFile)
        /// A file of `download` is complete and at its path.
        case downloadCommitted(DownloadedFile)
        /// A request is about to be sent.
        case requestWillSend(SentRequest)
        /// A request has been sent completely.
        case requestSent(attempt: Int, bytes: Int)
        /// More bytes of a request or its response have been transferred. Reported at most ten times a second for each
        /// request.
        case requestProgress(ProgressReport)
        /// A response is a redirect, and another request follows.
        case requestRedirected(Redirection)
        /// An attempt failed, and another one follows.
        case requestRetrying(Retry)
        /// A request used the cache, with or without a response from it. If nothing was sent, `request` is the request.
        case cacheUsed(attempt: Int, CacheUse, request: SentRequest? = nil)
        /// The status and the header of a response were received.
        case responseHead(ResponseHead)
        /// A response is complete.
        case responseFinished(attempt: Int, status: Int, PhaseTimes, ByteCounts)
        /// A request and its response in full, for requests with `debug`.
        case requestDebug(attempt: Int, RedactedJSON)
        /// The session of a service was fetched again, because a server rejected the earlier one.
        case sessionRenewed(service: String)
        /// A response of an operation was received whose status and media type are the first of their kind in the run.
        case operationCovered(CoveredResponse)
        /// A message for the reader of the run's output.
        case log(RedactedText)
        /// A warning, with its location in the manifest.
        case warning(RedactedText, at: SourceLocation?)
    }

    /// The parameters that a run was started with.
    public struct RunStart: Sendable, Equatable {
        /// The run's name.
        package var run: RunID
        /// The manifest's path, as it was specified.
        public var manifest: String
        /// The environment that was applied to the manifest.
        public var environment: String?
        /// The graphs that are run, in order.
        public var graphs: [String]
        /// The values of the manifest's inputs, for resuming the run; `nil` if any of them is secret.
        package var inputs: RedactedJSON?
        /// The states of the graphs at the start of the run, by graph.
        package var state: RedactedJSON?
        /// The file of the states, if there is one.
        package var stateFile: String?
        /// The selection of steps: `tags`, `notTags` and `only`, each a list of strings; absent if all steps run.
        package var selection: RedactedJSON?
        /// The part of the run that this process executes; absent unless several processes share the run.
        package var part: RedactedJSON?
        /// Whether the mock server receives the requests.
        public var isMocked = false
        /// Whether the run resumes the one that the earlier events belong to.
        public var isResumed = false

        /// Creates the start of a run from the properties that are always known; the others are set afterwards.
        package init(id run: RunID, manifest: String, environment: String?, graphs: [String]) {
            self.run = run
            self.manifest = manifest
            self.environment = environment
            self.graphs = graphs
        }

        /// The run's name, such as `20261121-052703-k3v9qa`.
        public var id: String { run.description }
    }

    /// What the journal keeps of a finished step or element, so that a resumed run can reuse it.
    package struct KeptRecord: Sendable, Equatable, JSONStreamable {
        /// What a resumed run does with the step.
        package enum Use: String, Sendable, CaseIterable {
            /// The step passed, or its failure is tolerated, and it keeps its result.
            case taken
            /// The step's request may have reached the server without a recorded response, and must not be sent twice.
            /// The step keeps its result if its failure is tolerated, unless the resumed run repeats such requests.
            case unsure
            /// The step keeps its result, but a request in it is unsure.
            case partly
        }

        /// What a resumed run does with the step.
        package var use: Use
        /// What later steps see of the step: some of `ok`, `error`, `outputs`, `data`, `status`, `headers`, `time`,
        /// `items`.
        package var record: RedactedJSON?
        /// What later steps can use but the journal must not contain, because it is secret: `outputs.token`, `data`,
        /// `headers.set-cookie`, `items`.
        package var lost: [String]
        /// The domains for which it set cookies in the run's own jar: `api.example.com`, or `.example.com` for all its
        /// hosts.
        package var cookies: [RedactedText]
        /// A digest of the element, to detect changes of the list; `nil` for a secret element.
        package var element: String?

        /// Creates a record; see the properties.
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

        /// Writes `{use, record, lost, cookies, element}`, without empty members.
        package func addMembers(to object: inout JSONStream) {
            object.add("use", use.rawValue)
            object.add("record", record)
            if !lost.isEmpty { object.add("lost", each: lost) }
            if !cookies.isEmpty { object.add("cookies", each: cookies.map(\.string)) }
            object.add("element", element)
        }
    }

    /// A request that is about to be sent.
    public struct SentRequest: Sendable, Equatable {
        /// The number of the attempt, from 1.
        public var attempt: Int
        /// The method.
        public var method: String
        /// The URL.
        public var url: RedactedText
        /// The header fields, without those that the transport adds.
        public var headers: [RedactedHeader]
        /// The body, if there is one and bodies are reported.
        package var body: BodyExcerpt?

        /// Creates a request; see the properties.
        public init(attempt: Int, method: String, url: RedactedText, headers: [RedactedHeader]) {
            self.attempt = attempt
            self.method = method
            self.url = url
            self.headers = headers
        }
    }

    /// A redirect: the response and the request that follows.
    public struct Redirection: Sendable, Equatable {
        /// The number of the attempt, from 1.
        public var attempt: Int
        /// The status of the response.
        public var status: Int
        /// The method of the request that follows.
        public var method: String
        /// The URL of the request that follows.
        public var url: RedactedText
        /// More about both, if the phases of the request are reported.
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

            /// Creates details; see the properties.
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

        /// Creates a redirect; see the properties.
        package init(attempt: Int, status: Int, method: String, url: RedactedText, details: Details? = nil) {
            self.details = details
            self.attempt = attempt
            self.status = status
            self.method = method
            self.url = url
        }
    }

    /// How an element of a step with `forEach` finished.
    public struct ElementEnd: Sendable, Equatable {
        /// The element's index in the list, from 0.
        public var index: Int
        /// The outcome.
        public var outcome: StepOutcome
        /// The failure, if the element failed.
        public var failure: Failure?
        /// A description of the element, if it failed.
        package var subject: ElementSubject
        /// Where the element's records are, if the step writes any.
        package var records: RecordedOutput?

        /// What is kept of the element for a resumed run.
        package var kept: KeptRecord?
        /// When its first request was due to be sent, for observers: the journal does not contain it. `nil` if there is
        /// none.
        package var startedAt: Timestamp?

        /// Creates an element's end; see the properties.
        package init(
            index: Int,
            outcome: StepOutcome,
            failure: Failure?,
            subject: ElementSubject = ElementSubject(),
            records: RecordedOutput? = nil,
            kept: KeptRecord? = nil,
            startedAt: Timestamp? = nil
        ) {
            self.startedAt = startedAt
            self.index = index
            self.outcome = outcome
            self.failure = failure
            self.subject = subject
            self.records = records
            self.kept = kept
        }
    }

    /// A list whose elements are divided among shards.
    package struct ShardedList: Sendable, Equatable {
        /// The number of elements of all shards.
        package var count: Int
        /// The index of the first element of this shard.
        package var first: Int
        /// A digest of all elements, to detect that shards have different lists; `nil` if they are secret.
        package var digest: String?

        /// Creates a description; see the properties.
        package init(count: Int, first: Int, digest: String?) {
            self.count = count
            self.first = first
            self.digest = digest
        }
    }

    /// A page that has been processed.
    public struct PageEnd: Sendable, Equatable {
        /// The number of the page of the step or of the element, from 1.
        public var number: Int
        /// The number of items on the page.
        public var items: Int
        /// The value that requests the next page: its URL, number, offset or cursor; `nil` if there is none.
        package var nextPage: RedactedJSON?
        /// Where the page's records are, if the step writes any.
        package var records: RecordedOutput?
        /// The page's items, if later steps need them.
        package var kept: RedactedJSON?
        /// The domains for which the pages so far set cookies in the run's own jar.
        package var cookies: [RedactedText]
        /// Whether it consists of events of a stream, for observers: the journal does not contain it.
        package var isOfStream = false

        /// Creates a page; see the properties.
        package init(
            number: Int,
            items: Int,
            nextPage: RedactedJSON?,
            records: RecordedOutput?,
            kept: RedactedJSON? = nil,
            cookies: [RedactedText] = []
        ) {
            self.kept = kept
            self.cookies = cookies
            self.number = number
            self.items = items
            self.nextPage = nextPage
            self.records = records
        }
    }

    /// A file of records whose end is lost.
    public struct CutFile: Sendable, Equatable {
        /// The path, as specified in the manifest.
        public var path: RedactedText
        /// What remains of the file.
        package var rest: RecordFileWriter.Resumption.Mark

        /// Creates a report of a file; see the properties.
        package init(path: RedactedText, rest: RecordFileWriter.Resumption.Mark) {
            self.path = path
            self.rest = rest
        }

        /// The number of elements of the step, or of pages, that are still in it.
        public var count: Int { rest.count }

        /// The number of records that are still in it.
        public var records: Int { rest.records.count }

        /// The number of bytes that it still has.
        public var bytes: Int { rest.bytes }
    }

    /// A complete file of records.
    public struct WrittenFile: Sendable, Equatable {
        /// The path, as specified in the manifest.
        public var path: RedactedText
        /// The table that contains the records, if the file is a database.
        public var table: String?
        /// The number of records in the file.
        public var records: Int
        /// The size of the file, in bytes.
        public var bytes: Int
        /// The CRC-32 of the file; `nil` if it is compressed or a database.
        package var checksum: UInt32?
        /// The result of `aggregate` over the records: an object, in which bytes are marked.
        package var aggregated: RedactedJSON?
        /// The number of the file, from 1, and the number of files of the step; `nil` if there is one.
        package var position: Position?
        /// What a resumed run needs to complete all files, with the last of several that are about to be moved.
        package var commit: Commit?

        /// The position of a file among those of its step.
        package struct Position: Sendable, Equatable {
            package var number: Int
            package var count: Int

            /// Creates a position; see the properties.
            package init(number: Int, count: Int) { (self.number, self.count) = (number, count) }

            /// Whether it is that of the last file.
            package var isLast: Bool { number == count }
        }

        /// What a resumed run needs to complete all files of a step without its request.
        package struct Commit: Sendable, Equatable {
            /// The end of the unfinished file with the records of all files.
            package var unfinished: RecordFileWriter.Resumption.Mark
            /// How the step finishes; `nil` if the journal has all its elements.
            package var result: StepResult?
            /// What is kept of the step.
            package var kept: KeptRecord?

            /// Creates a commit; see the properties.
            package init(unfinished: RecordFileWriter.Resumption.Mark, result: StepResult?, kept: KeptRecord?) {
                (self.unfinished, self.result, self.kept) = (unfinished, result, kept)
            }
        }

        /// Creates a report of a file; see the properties.
        package init(
            path: RedactedText,
            table: String? = nil,
            records: Int,
            bytes: Int,
            checksum: UInt32? = nil,
            aggregated: RedactedJSON?
        ) {
            self.path = path
            self.table = table
            self.records = records
            self.bytes = bytes
            self.checksum = checksum
            self.aggregated = aggregated
        }
    }

    /// The records of a shard in an unfinished file, as `HeldRecords` writes them.
    package struct ShardFile: Sendable, Equatable {
        /// The path of the complete file, as specified in the manifest; of several files, the first.
        package var path: RedactedText
        /// The paths of the other files.
        package var others: [RedactedText]
        /// The number of records, and the aggregates over them.
        package var records: RecordTally
        /// The number of bytes.
        package var bytes: Int
        /// The CRC-32 of the bytes; `nil` if the journal is of an older version.
        package var checksum: UInt32?

        /// Creates a report of a file; see the properties.
        package init(
            path: RedactedText,
            others: [RedactedText] = [],
            records: RecordTally,
            bytes: Int,
            checksum: UInt32?
        ) {
            self.path = path
            self.others = others
            self.records = records
            self.bytes = bytes
            self.checksum = checksum
        }
    }

    /// A downloaded file.
    public struct DownloadedFile: Sendable, Equatable {
        /// The path, as specified in the manifest, with the file name if the path is a folder.
        public var path: RedactedText
        /// The size of the file, in bytes.
        public var bytes: Int
        /// The SHA-256 digest in hexadecimal, if the manifest uses it or the run is a shard.
        public var sha256: String?
        /// Whether a part of the file existed from an interrupted download.
        public var isResumed: Bool
        /// Whether the file already existed and was kept.
        public var isKept: Bool

        /// Creates a report of a file; see the properties.
        public init(
            path: RedactedText,
            bytes: Int,
            sha256: String? = nil,
            isResumed: Bool = false,
            isKept: Bool = false
        ) {
            self.path = path
            self.bytes = bytes
            self.sha256 = sha256
            self.isResumed = isResumed
            self.isKept = isKept
        }
    }

    /// A failed attempt that is followed by another.
    public struct Retry: Sendable, Equatable {
        /// The number of the failed attempt, from 1.
        public var attempt: Int
        /// The time until the next attempt.
        public var pause: Duration
        /// Why the attempt failed.
        public var failure: Failure

        /// Creates a retry; see the properties.
        public init(attempt: Int, pause: Duration, failure: Failure) {
            self.attempt = attempt
            self.pause = pause
            self.failure = failure
        }
    }

    /// The status and the header fields of a response.
    public struct ResponseHead: Sendable, Equatable {
        /// The number of the attempt, from 1.
        public var attempt: Int
        /// The status.
        public var status: Int
        /// The HTTP version, such as `1.1`, if known.
        public var httpVersion: String?
        /// The header fields.
        public var headers: [RedactedHeader]
        /// The body, if there is one and bodies are reported.
        package var body: BodyExcerpt?

        /// Creates a response head; see the properties.
        public init(attempt: Int, status: Int, httpVersion: String? = nil, headers: [RedactedHeader]) {
            self.httpVersion = httpVersion
            self.attempt = attempt
            self.status = status
            self.headers = headers
        }
    }
}

/// Why a step does not start.
public enum SkipReason: String, Sendable, CaseIterable {
    /// Its `when` is false.
    case condition
    /// An earlier step failed.
    case failure
    /// The chain was ended early, with success.
    case ended
    /// The run is being stopped.
    case interrupted
}

/// The progress of a request's transfer, in bytes of bodies as they are transmitted.
public struct ProgressReport: Sendable, Equatable {
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// Bytes sent.
    public var sent: Int
    /// Bytes to send, if there are any.
    public var sentTotal: Int?
    /// Bytes received.
    public var received: Int
    /// Bytes to receive, if known.
    public var receivedTotal: Int?

    /// Creates a progress report; see the properties.
    public init(attempt: Int, sent: Int, sentTotal: Int?, received: Int, receivedTotal: Int?) {
        self.attempt = attempt
        self.sent = sent
        self.sentTotal = sentTotal
        self.received = received
        self.receivedTotal = receivedTotal
    }
}
