extension Run {
    /// Somebody who is told what happens in a run, by calls. All of its methods have a default that does nothing, so that
    /// only those have to be written that are wanted.
    ///
    /// Calls come one at a time, in the order of the events, on threads of the run, which waits meanwhile: what takes long
    /// has to be done elsewhere. The run may be steered from within a call.
    public protocol Observer: Sendable {
        /// Every event, before the method of its own.
        func run(did event: Event)

        /// The run begins.
        func runWillStart(_ start: Start)
        /// The run has ended; its results are about to be written.
        func runDidFinish(_ outcome: Outcome, _ counts: Counts)
        /// The run is held up, or a step of it.
        func runDidPause(step: String?)
        /// The run goes on, or a step of it.
        func runDidUnpause(step: String?)

        /// A graph begins.
        func graphWillStart(_ name: String)
        /// A graph has ended.
        func graphDidFinish(_ name: String, _ outcome: StepOutcome)

        /// A step begins.
        func stepWillStart(_ path: String)
        /// A step will not begin.
        func stepWasSkipped(_ path: String, _ reason: SkipReason)
        /// A step has ended, and what depends on it may begin.
        func stepDidFinish(_ step: Step)

        /// A request of a step is about to be sent.
        func requestWillSend(_ request: Request, step: String?)
        /// More bytes of a request of a step, or of its response, were transferred.
        func requestDidProgress(_ progress: Progress, step: String?)
        /// An attempt of a step failed, and there is another one.
        func requestWillRetry(_ retry: Retry, step: String?)
        /// A response for a step is complete.
        func responseDidFinish(_ response: Response, step: String?)
    }
}

extension Run.Observer {
    /// Does nothing.
    public func run(did event: Run.Event) {}
    /// Does nothing.
    public func runWillStart(_ start: Run.Start) {}
    /// Does nothing.
    public func runDidFinish(_ outcome: Run.Outcome, _ counts: Run.Counts) {}
    /// Does nothing.
    public func runDidPause(step: String?) {}
    /// Does nothing.
    public func runDidUnpause(step: String?) {}
    /// Does nothing.
    public func graphWillStart(_ name: String) {}
    /// Does nothing.
    public func graphDidFinish(_ name: String, _ outcome: Run.StepOutcome) {}
    /// Does nothing.
    public func stepWillStart(_ path: String) {}
    /// Does nothing.
    public func stepWasSkipped(_ path: String, _ reason: Run.SkipReason) {}
    /// Does nothing.
    public func stepDidFinish(_ step: Run.Step) {}
    /// Does nothing.
    public func requestWillSend(_ request: Run.Request, step: String?) {}
    /// Does nothing.
    public func requestDidProgress(_ progress: Run.Progress, step: String?) {}
    /// Does nothing.
    public func requestWillRetry(_ retry: Run.Retry, step: String?) {}
    /// Does nothing.
    public func responseDidFinish(_ response: Run.Response, step: String?) {}
}

extension Run.Observer {
    /// Calls the methods of an event.
    func take(_ event: Run.Event) {
        run(did: event)
        switch event.kind {
        case .runStarted(let start): runWillStart(start)
        case .runFinished(let outcome, let counts): runDidFinish(outcome, counts)
        case .paused: runDidPause(step: event.step)
        case .unpaused: runDidUnpause(step: event.step)
        case .graphStarted(let name): graphWillStart(name)
        case .graphFinished(let name, let outcome): graphDidFinish(name, outcome)
        case .stepStarted: stepWillStart(event.step ?? "")
        case .stepSkipped(let reason): stepWasSkipped(event.step ?? "", reason)
        case .stepFinished(let step): stepDidFinish(step)
        case .requestWillSend(let request): requestWillSend(request, step: event.step)
        case .requestProgress(let progress): requestDidProgress(progress, step: event.step)
        case .requestRetrying(let retry): requestWillRetry(retry, step: event.step)
        case .responseFinished(let response): responseDidFinish(response, step: event.step)
        case .graphFinishing, .elementsStarted, .elementFinished, .pageFinished, .pollFinished, .fileCut,
            .fileCompleted, .fileWritten,
            .fileDownloaded, .requestSent, .requestRedirected, .cacheUsed, .responseStarted, .exchange,
            .sessionRenewed, .log, .warning:
            break
        }
    }
}
