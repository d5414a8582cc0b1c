import CLibCurl

/// libcurl's multi handle, with a poller for its sockets and a timer. Used only on the engine's thread.
final class MultiHandle {
    /// When libcurl wants to be called without activity on a socket.
    private enum Timer {
        case none, atOnce
        case at(ContinuousClock.Instant)
    }

    /// A socket that libcurl wants to write to.
    private struct Writer {
        let interest: Readiness
        /// How many calls in a row, for which the socket was writable, made no progress.
        var idleCalls = 0
        /// When the poller checks again whether the socket is writable; nil while it always does.
        var pausedUntil: ContinuousClock.Instant?
    }

    // libcurl 7.88 waits for an HTTP/2 connection to be writable even if the server's window is used up. The thread
    // would call it without end: an upload that a server did not read used 6.2 s of processor time in 8 s. A call
    // for a connection that is not stuck reads a part of the body at least every few times.
    private static let mostIdleCalls = 64
    private static let pause = Duration.milliseconds(10)

    private let pointer: UnsafeMutableRawPointer
    private let poller: any Poller
    private let maximumConnections: Int
    private let watch: CallWatch
    private var hostConnections = 0
    private var timer = Timer.none
    private var writers: [curl_socket_t: Writer] = [:]

    /// Creates a handle that keeps at most this many connections; nil if there is not enough memory.
    init?(poller: any Poller, watch: CallWatch, maximumConnections: Int) {
        guard let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
        self.poller = poller
        self.watch = watch
        self.maximumConnections = maximumConnections
        // Valid as long as libcurl uses it: `deinit` removes the callbacks.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        waybill_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, owner)
        waybill_multi_set_socket_function(pointer) { easy, socket, interest, owner, _ in
            MultiHandle.from(owner)?.watch(socket, interest)
            if let easy, interest & CURL_POLL_IN != 0 {
                EasyHandle.owner(of: easy)?.transfer?.noteReading(from: socket)
            }
            return 0
        }
        waybill_multi_set_pointer(pointer, CURLMOPT_TIMERDATA, owner)
        waybill_multi_set_timer_function(pointer) { _, milliseconds, owner in
            MultiHandle.from(owner)?.setTimer(milliseconds)
            return 0
        }
        waybill_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, maximumConnections)
        setLimits()
    }

    deinit {
        // Closing the open connections would call back into an object that is being destroyed.
        waybill_multi_set_socket_function(pointer, nil)
        waybill_multi_set_timer_function(pointer, nil)
        curl_multi_cleanup(pointer)
    }

    /// How many connections may be open in addition to the limits.
    var spareConnections = 0 {
        didSet { setLimits() }
    }

    /// Raises the maximum number of connections to one host, if this is more than before.
    func raiseHostConnections(to count: Int) {
        guard count > hostConnections else { return }
        hostConnections = count
        setLimits()
    }

    private func setLimits() {
        // 0 means no limit, as before the first transfer.
        let forHost = hostConnections == 0 ? 0 : hostConnections + spareConnections
        waybill_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, forHost)
        waybill_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections + spareConnections)
    }

    /// Starts the transfer of a handle.
    func add(_ easy: EasyHandle) -> Bool {
        curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK
    }

    /// Ends the transfer of a handle, if it has not ended. Must not be called in a callback.
    func remove(_ easy: EasyHandle) {
        curl_multi_remove_handle(pointer, easy.pointer)
    }

    /// Lets transfers that wait for a connection that they can share make their own ones (`CURLOPT_PIPEWAIT`).
    ///
    /// libcurl 8.14 forgets them when the new connection turns out to be HTTP/1.1: they wait until the request on it has
    /// ended. It looks at them again whenever a handle is removed.
    func endWaitForSharing() {
        guard LibCurl.version >= 0x080000, let handle = curl_easy_init() else { return }
        if curl_multi_add_handle(pointer, handle) == CURLM_OK { curl_multi_remove_handle(pointer, handle) }
        curl_easy_cleanup(handle)
    }

    /// The time until the timer is due, in milliseconds for a poller; -1 without a timer.
    var millisecondsUntilTimer: Int32 {
        let end = writers.values.lazy.compactMap(\.pausedUntil).min()?.pollerMilliseconds
        switch timer {
        case .none: return end ?? -1
        case .atOnce: return 0
        case .at(let instant): return min(instant.pollerMilliseconds, end ?? .max)
        }
    }

    /// Calls libcurl if the timer is due. Starting a transfer is due immediately.
    func runTimer() {
        if !writers.isEmpty { endPauses() }
        switch timer {
        case .none: return
        case .atOnce: break
        case .at(let instant): guard instant <= .now else { return }
        }
        timer = .none
        act(onSocket: CURL_SOCKET_TIMEOUT, mask: 0)
    }

    /// Lets libcurl work on a socket.
    func act(on ready: ReadyDescriptor) {
        var mask: Int32 = 0
        if ready.readiness.contains(.readable) { mask |= CURL_CSELECT_IN }
        if ready.readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
        let progress = watch.progressCount
        act(onSocket: ready.descriptor, mask: mask)
        if !writers.isEmpty { note(ready, hasProgress: watch.progressCount != progress) }
    }

    /// Pauses checking whether a socket is writable if that leads to nothing, until something arrives or a moment
    /// has passed.
    private func note(_ ready: ReadyDescriptor, hasProgress: Bool) {
        guard var writer = writers[ready.descriptor] else { return }
        if ready.readiness == .writable, !hasProgress {
            writer.idleCalls += 1
            if writer.idleCalls >= Self.mostIdleCalls {
                writer.pausedUntil = .now + Self.pause
                poller.watch(ready.descriptor, for: writer.interest.subtracting(.writable))
            }
        } else {
            if writer.pausedUntil != nil { poller.watch(ready.descriptor, for: writer.interest) }
            writer = Writer(interest: writer.interest)
        }
        writers[ready.descriptor] = writer
    }

    private func endPauses() {
        let now = ContinuousClock.now
        for (socket, writer) in writers {
            guard let end = writer.pausedUntil, end <= now else { continue }
            writers[socket]?.pausedUntil = nil
            poller.watch(socket, for: writer.interest)
        }
    }

    private func act(onSocket socket: curl_socket_t, mask: Int32) {
        var running: Int32 = 0
        watch.beginCall()
        curl_multi_socket_action(pointer, socket, mask, &running)
        watch.endCall()
    }

    /// The next transfer that has ended, with its code.
    func nextFinished() -> (easy: EasyHandle, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = EasyHandle.owner(of: message.pointee.easy_handle)
            else {
                continue
            }
            return (easy, message.pointee.data.result)
        }
        return nil
    }

    private static func from(_ owner: UnsafeMutableRawPointer?) -> MultiHandle? {
        owner.map { Unmanaged<MultiHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private func watch(_ socket: curl_socket_t, _ interest: Int32) {
        watch.note(socket, isInUse: interest != CURL_POLL_REMOVE)
        let interest: Readiness =
            switch interest {
            case CURL_POLL_IN: .readable
            case CURL_POLL_OUT: .writable
            case CURL_POLL_INOUT: [.readable, .writable]
            default: []
            }
        writers[socket] = interest.contains(.writable) ? Writer(interest: interest) : nil
        poller.watch(socket, for: interest)
    }

    private func setTimer(_ milliseconds: Int) {
        // Most timers are for transfers that are just starting, and do not need the clock.
        switch milliseconds {
        case ..<0: timer = .none
        case 0: timer = .atOnce
        default: timer = .at(.now.advanced(by: .milliseconds(milliseconds)))
        }
    }
}

extension ContinuousClock.Instant {
    /// The time until this instant, in milliseconds for a poller; 0 if it has passed.
    var pollerMilliseconds: Int32 {
        let (seconds, attoseconds) = (self - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 3600 else { return 3_600_000 }
        // Rounded up, or the thread would spin through the last millisecond.
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
