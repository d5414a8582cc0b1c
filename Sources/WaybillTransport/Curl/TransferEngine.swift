import CLibCurl

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Carries transfers out with libcurl. All of it lives on one thread, which `run` takes; commands come by the queue.
final class TransferEngine {
    private let commands: CommandQueue
    private let poller: any Poller
    private let multi: MultiHandle
    private var queue: AdmissionQueue<Transfer>
    private var transfers: [ObjectIdentifier: Transfer] = [:]
    // What is to be handed over.
    private var ended: [Transfer] = []
    // Handles at rest. There are never more than transfers at once.
    private var idleHandles: [EasyHandle] = []

    /// Makes an engine that does what comes by these commands.
    init(commands: CommandQueue, maximumConnections: Int) throws(TransportSetUpError) {
        do {
            poller = try SystemPoller()
        } catch {
            throw TransportSetUpError(reason: "cannot wait for sockets: \(error)")
        }
        guard let multi = MultiHandle(poller: poller, maximumConnections: maximumConnections) else {
            throw TransportSetUpError(reason: "libcurl has no memory")
        }
        self.multi = multi
        self.commands = commands
        self.queue = AdmissionQueue(totalLimit: maximumConnections)
        poller.watch(commands.descriptor, for: .readable)
    }

    /// Works until the command queue is closed, then ends what is under way.
    func run() {
        while carryOutCommands() {
            var isAdmitting = true
            while isAdmitting {
                admit()
                multi.runTimer()
                isAdmitting = collectFinished()
            }
            let hasDelivered = deliver()
            if hasDelivered && transfers.isEmpty { lingerForCommands() }
            let isWaiting = commands.beginWaiting()
            for ready in poller.wait(milliseconds: isWaiting ? multi.millisecondsUntilTimer : 0) {
                if ready.descriptor == commands.descriptor {
                    commands.acknowledge()
                } else {
                    multi.act(on: ready)
                }
            }
            _ = collectFinished()
        }
        for transfer in transfers.values { end(transfer, with: .failed(.shutDown(transfer))) }
        _ = deliver()
    }

    // A chain sends its next request right after an answer. Looking out for it for a moment, while the tasks' threads may
    // have the processor, spares it the time of waking this thread.
    private func lingerForCommands() {
        let end = ContinuousClock.now + .microseconds(30)
        while commands.isEmpty && ContinuousClock.now < end { sched_yield() }
    }

    // All that ended in one round at once: one wake-up of the tasks' threads instead of many.
    private func deliver() -> Bool {
        let isAny = !ended.isEmpty
        for transfer in ended { transfer.deliver() }
        ended.removeAll(keepingCapacity: true)
        return isAny
    }

    /// False when there will be no more.
    private func carryOutCommands() -> Bool {
        let (list, isClosed) = commands.takeAll()
        var originsToClear: Set<Origin> = []
        for command in list {
            switch command {
            case .start(let prepared, let cancellation, let delivery):
                let transfer = Transfer(prepared, cancellation: cancellation, delivery: delivery)
                guard !cancellation.isRequested else {
                    end(transfer, with: .failed(.cancelled(transfer)))
                    continue
                }
                transfers[ObjectIdentifier(cancellation)] = transfer
                queue.enqueue(
                    transfer,
                    origin: prepared.origin,
                    limit: max(1, prepared.request.maximumConnectionsPerOrigin)
                )
            case .cancel(let cancellation):
                guard let transfer = transfers[ObjectIdentifier(cancellation)] else { continue }
                if transfer.handle == nil { originsToClear.insert(transfer.prepared.origin) }
                end(transfer, with: .failed(.cancelled(transfer)))
            }
        }
        // Once for all of a batch: a queue is walked from end to end.
        for origin in originsToClear {
            queue.removeWaiting(at: origin) { $0.hasEnded }
        }
        return !isClosed
    }

    private func admit() {
        while let transfer = queue.next() {
            guard let handle = idleHandles.popLast() ?? EasyHandle() else {
                queue.finished(at: transfer.prepared.origin)
                end(transfer, with: .failed(.refused(CURLE_OUT_OF_MEMORY, "libcurl has no memory")))
                continue
            }
            transfer.handle = handle
            let code = handle.prepare(for: transfer)
            guard code == CURLE_OK, multi.add(handle) else {
                let failed = code == CURLE_OK ? CURLE_FAILED_INIT : code
                end(transfer, with: outcome(of: transfer, handle: handle, code: failed))
                continue
            }
        }
    }

    /// True when there was one.
    private func collectFinished() -> Bool {
        var hasAny = false
        while let (handle, code) = multi.nextFinished() {
            guard let transfer = handle.transfer else { continue }
            hasAny = true
            end(transfer, with: outcome(of: transfer, handle: handle, code: code))
        }
        return hasAny
    }

    private func outcome(of transfer: Transfer, handle: EasyHandle, code: CURLcode) -> TransferOutcome {
        let report = TransferReport(handle)
        guard code == CURLE_OK else {
            return .failed(.init(code: code, transfer: transfer, report: report, detail: handle.message))
        }
        return .answered(report.response(to: transfer), head: transfer.head.bytes)
    }

    private func end(_ transfer: Transfer, with outcome: TransferOutcome) {
        transfers[ObjectIdentifier(transfer.cancellation)] = nil
        if let handle = transfer.handle {
            transfer.handle = nil
            multi.remove(handle)
            handle.reset()
            idleHandles.append(handle)
            queue.finished(at: transfer.prepared.origin)
        }
        transfer.end(with: outcome)
        ended.append(transfer)
    }
}
