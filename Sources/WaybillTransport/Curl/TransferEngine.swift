import CLibCurl
import WaybillPlatform
import WaybillRuntime

/// Executes transfers with libcurl. It is confined to the thread that calls `run`; commands arrive through the queue.
final class TransferEngine {
    private let commands: CommandQueue
    private let executor: TransportExecutor
    private let poller: any Poller
    private let multi: MultiHandle
    private let jars: CookieJars
    private let marks = SocketMarks()
    private let watch: CallWatch
    private let memory: RunMemory
    private let queue: AdmissionQueue<Transfer>
    private var transfers: [ObjectIdentifier: Transfer] = [:]
    // How often in a row commands take precedence over the sockets: tasks on this thread must not starve the transfers.
    private static let turnsWithoutLook = 8
    // The transfers whose timeout the engine enforces, and those whose body is streamed.
    private var timed: [ObjectIdentifier: Transfer] = [:]
    private var streaming: [ObjectIdentifier: Transfer] = [:]
    // The transfers whose outcome has to be delivered.
    private var ended: [Transfer] = []
    // The commands that are being executed.
    private var batch: [EngineCommand] = []
    // Idle handles. There are never more than the maximum number of simultaneous transfers.
    private var idleHandles: [EasyHandle] = []

    /// Creates an engine that executes these commands.
    init(
        commands: CommandQueue,
        executor: TransportExecutor,
        watch: CallWatch,
        files: RequestFiles,
        memory: RunMemory,
        maximumConnections: Int
    ) throws(TransportSetUpError) {
        do {
            poller = try SystemPoller()
        } catch {
            throw TransportSetUpError(reason: "could not create a poller for sockets: \(error)")
        }
        guard let multi = MultiHandle(poller: poller, watch: watch, maximumConnections: maximumConnections) else {
            throw TransportSetUpError(reason: "libcurl ran out of memory")
        }
        self.multi = multi
        self.commands = commands
        self.executor = executor
        self.watch = watch
        self.memory = memory
        self.jars = CookieJars(files: files)
        self.queue = AdmissionQueue(totalLimit: maximumConnections)
        poller.watch(commands.descriptor, for: .readable)
    }

    /// Runs until the command queue is closed, then ends the transfers in flight and writes the cookie jars. Returns a
    /// message for each jar that could not be written.
    func run() -> [String] {
        watch.watchCurrentThread()
        defer { watch.close() }
        var turnsSinceLook = 0
        while executeCommands() {
            var isAdmitting = true
            while isAdmitting {
                admit()
                multi.runTimer()
                endOverdueTransfers()
                isAdmitting = collectFinished()
            }
            deliver()
            turnsSinceLook += 1
            // A task that has received its response here usually sends the next request, which takes precedence over
            // polling the sockets.
            if turnsSinceLook < Self.turnsWithoutLook && !commands.isEmpty { continue }
            pollSockets()
            turnsSinceLook = 0
        }
        for transfer in transfers.values { finish(transfer, with: .failed(.shutDown(transfer))) }
        deliver()
        executor.close()
        return jars.save()
    }

    private func pollSockets() {
        defer { _ = collectFinished() }
        let milliseconds = commands.beginWaiting() ? millisecondsToWait : 0
        poller.wait(milliseconds: milliseconds) { ready in
            if ready.descriptor == commands.descriptor {
                commands.acknowledge()
            } else {
                multi.act(on: ready)
            }
        }
    }

    // Delivers all outcomes of one iteration together, to wake the tasks' threads once instead of many times.
    private func deliver() {
        executor.note(transfers: transfers.count + ended.count)
        for transfer in ended { transfer.deliver() }
        ended.removeAll(keepingCapacity: true)
        for transfer in streaming.values { transfer.order.channel?.wake() }
    }
}

// MARK: Commands

extension TransferEngine {
    /// Executes the queued commands. Returns false if there will be no more.
    private func executeCommands() -> Bool {
        let isOpen = commands.takeAll(into: &batch)
        defer { batch.removeAll(keepingCapacity: true) }
        var originsToClear: Set<Origin> = []
        for command in batch {
            switch command {
            case .start(let order):
                start(Transfer(order, marks: marks, watch: watch, memory: memory, commands: commands))
            case .cancel(let cancellation):
                guard let transfer = transfers[ObjectIdentifier(cancellation)] else { continue }
                if transfer.handle == nil { originsToClear.insert(transfer.prepared.origin) }
                finish(transfer, with: .failed(.cancelled(transfer)))
            case .adjust(let cancellation):
                guard let transfer = transfers[ObjectIdentifier(cancellation)] else { continue }
                adjust(transfer)
            case .run(let job):
                job.runSynchronously(on: executor.asUnownedTaskExecutor())
            }
        }
        // Once per batch, because this scans a whole queue.
        for origin in originsToClear {
            queue.removeWaiting(at: origin) { $0.outcome != nil }
        }
        return isOpen
    }

    private func start(_ transfer: Transfer) {
        guard !transfer.order.cancellation.isRequested else {
            return finish(transfer, with: .failed(.cancelled(transfer)))
        }
        transfers[transfer.id] = transfer
        if !transfer.isPaused { enqueue(transfer) }
    }

    private func enqueue(_ transfer: Transfer) {
        // Whether a destination is reachable does not depend on how busy it is.
        if transfer.prepared.purpose == .connection { return begin(transfer) }
        transfer.isQueued = true
        let prepared = transfer.prepared
        let limit = prepared.request.maximumConnectionsPerOrigin
        // The queue counts requests. If a connection carries many, and the server allows fewer on each than the queue
        // starts, libcurl's limit keeps it from opening too many connections.
        multi.raiseHostConnections(to: limit)
        queue.enqueue(
            transfer,
            origin: prepared.origin,
            limit: max(1, limit),
            priority: prepared.request.options.priority
        )
    }

    /// Pauses or resumes a transfer according to its monitor, the receiver of its body, and the memory for its body.
    private func adjust(_ transfer: Transfer) {
        let isPaused = transfer.isPaused
        if let handle = transfer.handle {
            if transfer.hasEarlyResponse(TransferReport(handle)) {
                return end(transfer, with: outcome(of: transfer, handle: handle, code: CURLE_OK))
            }
            transfer.notePause(isPaused)
            let isFull = transfer.order.channel?.isFull ?? !transfer.hasRoom()
            // libcurl's own timeout would keep running.
            if isPaused || isFull, transfer.clock == nil { keepTime(of: transfer, handle) }
            if isPaused || isFull { transfer.clock?.stop() } else { transfer.clock?.go() }
            let pausesReceiving = isFull || (isPaused && TransferReport(handle).mayPauseReceiving)
            handle.pause(sending: isPaused, receiving: pausesReceiving)
        } else if let outcome = transfer.outcome {
            if !isPaused { finish(transfer, with: outcome) }
        } else if isPaused && transfer.isQueued {
            transfer.isQueued = false
            queue.removeWaiting(at: transfer.prepared.origin) { $0 === transfer }
        } else if !isPaused && !transfer.isQueued {
            enqueue(transfer)
        }
    }
}

// MARK: Time

extension TransferEngine {
    private func keepTime(of transfer: Transfer, _ handle: EasyHandle) {
        handle.forgetTimeout()
        transfer.clock = TransferClock(start: transfer.startedAt, timeout: transfer.prepared.request.remainingTime)
        timed[transfer.id] = transfer
    }

    private var millisecondsToWait: Int32 {
        let untilTimer = multi.millisecondsUntilTimer
        guard let next = timed.values.lazy.compactMap(\.clock?.deadline).min() else { return untilTimer }
        let untilNext = next.pollerMilliseconds
        return untilTimer < 0 ? untilNext : min(untilTimer, untilNext)
    }

    private func endOverdueTransfers() {
        guard !timed.isEmpty else { return }
        let now = ContinuousClock.now
        for transfer in timed.values {
            guard let deadline = transfer.clock?.deadline, deadline <= now, let handle = transfer.handle else {
                continue
            }
            end(transfer, with: outcome(of: transfer, handle: handle, code: CURLE_OPERATION_TIMEDOUT))
        }
    }
}

// MARK: Beginning and end

extension TransferEngine {
    private func admit() {
        while let transfer = queue.next() {
            transfer.isQueued = false
            transfer.isCounted = true
            begin(transfer)
        }
    }

    private func begin(_ transfer: Transfer) {
        let share: ShareHandle
        do {
            share = try jars.share(for: transfer.prepared.request.options.cookies)
            try share.checkCookies(for: transfer.prepared)
        } catch {
            return end(transfer, with: .failed(error))
        }
        guard let handle = idleHandles.popLast() ?? EasyHandle() else {
            return end(transfer, with: .failed(.outOfMemory))
        }
        transfer.handle = handle
        let code = handle.prepare(for: transfer, share: share)
        switch transfer.prepared.purpose {
        case .exchange: break
        case .stream:
            streaming[transfer.id] = transfer
            keepTime(of: transfer, handle)
        case .connection:
            // libcurl's timeout does not run while a transfer waits for another connection to close.
            multi.spareConnections += 1
            keepTime(of: transfer, handle)
        }
        guard code == CURLE_OK, multi.add(handle) else {
            let failed = code == CURLE_OK ? CURLE_FAILED_INIT : code
            return end(transfer, with: outcome(of: transfer, handle: handle, code: failed))
        }
    }

    /// Ends the transfers that libcurl has finished. Returns whether there were any.
    private func collectFinished() -> Bool {
        if marks.hasUnsharedConnection {
            marks.hasUnsharedConnection = false
            multi.endWaitForSharing()
        }
        let cutPorts = watch.takeCutPorts()
        if !cutPorts.isEmpty {
            for transfer in transfers.values { transfer.noteCut(ofConnectionsFromPorts: cutPorts) }
        }
        var hasAny = false
        while let (handle, code) = multi.nextFinished() {
            guard let transfer = handle.transfer else { continue }
            hasAny = true
            if transfer.maySendAgain(after: code), sendAgain(transfer, handle) { continue }
            end(transfer, with: outcome(of: transfer, handle: handle, code: code))
        }
        return hasAny
    }

    /// Restarts a transfer that has ended, within its remaining time.
    private func sendAgain(_ transfer: Transfer, _ handle: EasyHandle) -> Bool {
        let remaining = transfer.prepared.request.remainingTime - (.now - transfer.startedAt)
        guard remaining > .zero, transfer.rewind() else { return false }
        multi.remove(handle)
        if transfer.takeRefusalOfConnection() { handle.requireNewConnection() }
        // Otherwise the engine enforces the timeout.
        if transfer.clock == nil { handle.limitTime(to: remaining) }
        return multi.add(handle)
    }

    private func outcome(of transfer: Transfer, handle: EasyHandle, code: CURLcode) -> TransferOutcome {
        if transfer.order.cancellation.isRequested { return .failed(.cancelled(transfer)) }
        let code = transfer.isOverdue ? CURLE_OPERATION_TIMEDOUT : code
        let report = TransferReport(handle)
        guard code == CURLE_OK || transfer.hasEarlyResponse(report, after: code), transfer.checkIsWhole() else {
            return .failed(.init(code: code, transfer: transfer, report: report, detail: handle.message))
        }
        var response = report.response(to: transfer)
        if transfer.repetitions > 0 { response.repetitions = transfer.repetitions }
        // A request that offered only HTTP/1.1 does not show what the origin supports.
        if response.httpVersion == "2" || !transfer.prepared.choosesHTTP1 {
            queue.setMultiplexed(response.httpVersion == "2", at: transfer.prepared.origin)
        }
        return .answered(response, head: transfer.head.bytes)
    }

    /// Ends a transfer that was not cancelled. A response that arrived while the transfer was paused is reported when
    /// it resumes.
    private func end(_ transfer: Transfer, with outcome: TransferOutcome) {
        var hasResponse = false
        if case .answered = outcome { hasResponse = true }
        if transfer.hasSetCookies { jars.store(transfer.prepared.request.options.cookies) }
        releaseHandle(of: transfer, hasResponse: hasResponse)
        if hasResponse, transfer.isPaused { return transfer.end(with: outcome) }
        finish(transfer, with: outcome)
    }

    private func finish(_ transfer: Transfer, with outcome: TransferOutcome) {
        releaseHandle(of: transfer, hasResponse: false)
        transfers[transfer.id] = nil
        transfer.end(with: outcome)
        ended.append(transfer)
    }

    private func releaseHandle(of transfer: Transfer, hasResponse: Bool) {
        if transfer.isCounted {
            transfer.isCounted = false
            queue.finished(at: transfer.prepared.origin)
        }
        guard let handle = transfer.handle else { return }
        transfer.handle = nil
        if !timed.isEmpty { timed[transfer.id] = nil }
        if !streaming.isEmpty { streaming[transfer.id] = nil }
        multi.remove(handle)
        if EasyHandle.mayBeKept {
            handle.release(hasResponse: hasResponse)
            idleHandles.append(handle)
        }
        if transfer.prepared.purpose == .connection { multi.spareConnections -= 1 }
    }
}
