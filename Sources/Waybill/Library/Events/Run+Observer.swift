extension Run {
    /// An observer that receives the events of a run as method calls. Every method has a default implementation that
    /// does nothing, so that an observer implements only the ones it needs.
    ///
    /// Calls are made one at a time, in the order of the events, on threads of the run. The run waits for each call, so
    /// do slow work elsewhere. An observer may steer the run from within a call.
    public protocol Observer: Sendable {
        /// Called for every event, before the method for its kind.
        func run(did event: Event)

        /// Called when the run starts.
        func runWillStart(_ start: Start)
        /// Called when the run has finished and its results are about to be written.
        func runDidFinish(_ outcome: Outcome, _ counts: Counts)
        /// Called when the run, or one of its steps, is paused.
        func runDidPause(step: String?)
        /// Called when the run, or one of its steps, continues.
        func runDidUnpause(step: String?)

        /// Called when a graph starts.
        func graphWillStart(_ name: String)
        /// Called when a graph has finished.
        func graphDidFinish(_ name: String, _ outcome: StepOutcome)

        /// Called when a step starts.
        func stepWillStart(_ path: String)
        /// Called when a step is skipped.
        func stepWasSkipped(_ path: String, _ reason: SkipReason)
        /// Called when a step has finished and the steps that depend on it may start.
        func stepDidFinish(_ step: Step)

        /// Called when a request of a step is about to be sent.
        func requestWillSend(_ request: Request, step: String?)
        /// Called when more bytes of a request of a step, or of its response, were transferred.
        func requestDidProgress(_ progress: Progress, step: String?)
        /// Called when an attempt of a step has failed and another one follows.
        func requestWillRetry(_ retry: Retry, step: String?)
        /// Called when a response for a step is complete.
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
    /// Calls the methods for an event.
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
