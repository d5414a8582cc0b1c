import WaybillData
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// The way of one attempt's request to the transport and back: it waits for its turn, and is watched and held up.
struct Delivery: Sendable {
    /// What came of it.
    enum End: Sendable {
        /// There is an answer.
        case answer(HTTPResponse)
        /// There is none.
        case failure(TransportFailure)
        /// It was stopped before anything was sent.
        case stopped
    }

    private let request: RequestRun
    private let number: Int
    private var plan: RequestPlan { request.plan }
    private var run: RunContext { request.run }

    /// The way of a request's attempt of this number.
    init(_ request: RequestRun, attempt number: Int) {
        self.request = request
        self.number = number
    }

    /// Whether the single steps of the transfer are told. A `forEach` may have a million elements: of theirs only what
    /// came of them is told, unless `debug` asks for more.
    var tellsDetails: Bool {
        !request.frame.isElement(request.step) || plan.settings.debug?.value == true
    }

    /// Waits for the request's turn among those of the run, which has to be given back; `nil` when it was stopped.
    func turn() async -> Turn? {
        while true {
            await run.control.waitUntilUnpaused(request.path)
            guard let turn = await run.limiter.acquire(TurnWish(plan, in: request.frame)) else { return nil }
            guard request.frame.mayBegin else {
                run.limiter.release(turn)
                return nil
            }
            // Held up while it waited: meanwhile others can have the turn.
            guard run.control.isPaused(request.path) else { return turn }
            run.limiter.release(turn)
        }
    }

    /// Sends a request whose turn it is, and follows redirects.
    func send(_ sending: HTTPRequest) async -> End {
        announce(sending)
        let reporter =
            tellsDetails ? TransferReporter(sending, of: request.path, attempt: number, to: run.events) : nil
        let monitor = reporter.map { reporter in TransferMonitor { reporter.take($0) } } ?? TransferMonitor()
        let sent = await run.control.holding(monitor, of: request.path) {
            await run.transport.send(
                sending,
                followingRedirects: plan.settings.redirects?.value ?? 10,
                monitor: monitor,
                onRedirect: { redirect in
                    reporter?.tell()
                    tell(redirect)
                }
            )
        }
        reporter?.tell()
        return switch sent {
        case .success(let response): .answer(response)
        case .failure(let failure): .failure(failure)
        }
    }

    private func announce(_ sending: HTTPRequest) {
        guard tellsDetails else { return }
        run.events.emit(
            .requestWillSend(
                .init(
                    attempt: number,
                    method: sending.method,
                    url: run.redactor.text(sending.url),
                    headers: run.redactor.headers(sending.headers.map { ($0.name, $0.value) })
                )
            ),
            step: request.path
        )
    }

    private func tell(_ redirect: Redirect) {
        run.events.emit(
            .requestRedirected(
                .init(
                    attempt: number,
                    status: redirect.status,
                    method: redirect.method,
                    url: run.redactor.text(redirect.to)
                )
            ),
            step: request.path
        )
    }
}
