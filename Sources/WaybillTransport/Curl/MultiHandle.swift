import CLibCurl

/// libcurl's multi handle with its sockets in a poller and its timer. Used only on the engine's thread.
final class MultiHandle {
    /// When libcurl wants to go on by itself.
    private enum Timer {
        case none, atOnce
        case at(ContinuousClock.Instant)
    }

    private let pointer: UnsafeMutableRawPointer
    private let poller: any Poller
    private let maximumConnections: Int
    private let watch: CallWatch
    private var hostConnections = 0
    private var timer = Timer.none

    /// Makes a handle that keeps this many connections at most; nil without memory.
    init?(poller: any Poller, watch: CallWatch, maximumConnections: Int) {
        guard let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
        self.poller = poller
        self.watch = watch
        self.maximumConnections = maximumConnections
        // Good as long as libcurl uses it: `deinit` takes the callbacks away.
        let owner = Unmanaged.passUnretained(self).toOpaque()
        waybill_multi_set_pointer(pointer, CURLMOPT_SOCKETDATA, owner)
        waybill_multi_set_socket_function(pointer) { _, socket, interest, owner, _ in
            MultiHandle.from(owner)?.watch(socket, interest)
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
        // Closing the kept connections would call back into an object that is going away.
        waybill_multi_set_socket_function(pointer, nil)
        waybill_multi_set_timer_function(pointer, nil)
        curl_multi_cleanup(pointer)
    }

    /// How many connections may be open besides those that the limits are for.
    var spareConnections = 0 {
        didSet { setLimits() }
    }

    /// Lets no more connections than this be open to one host, if that is more than before.
    func raiseHostConnections(to count: Int) {
        guard count > hostConnections else { return }
        hostConnections = count
        setLimits()
    }

    private func setLimits() {
        // 0 is none, as before the first transfer.
        let forHost = hostConnections == 0 ? 0 : hostConnections + spareConnections
        waybill_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, forHost)
        waybill_multi_set_long(pointer, CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections + spareConnections)
    }

    /// Starts the transfer of a handle.
    func add(_ easy: EasyHandle) -> Bool {
        curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK
    }

    /// Ends the transfer of a handle, if it has not ended. Not to be called from within a callback.
    func remove(_ easy: EasyHandle) {
        curl_multi_remove_handle(pointer, easy.pointer)
    }

    /// How long nothing needs to be done, in milliseconds for a poller.
    var millisecondsUntilTimer: Int32 {
        switch timer {
        case .none: -1
        case .atOnce: 0
        case .at(let instant): instant.pollerMilliseconds
        }
    }

    /// Does what is due. Starting a transfer is due at once.
    func runTimer() {
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
        act(onSocket: ready.descriptor, mask: mask)
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
        switch interest {
        case CURL_POLL_IN: poller.watch(socket, for: .readable)
        case CURL_POLL_OUT: poller.watch(socket, for: .writable)
        case CURL_POLL_INOUT: poller.watch(socket, for: [.readable, .writable])
        default: poller.watch(socket, for: [])
        }
    }

    private func setTimer(_ milliseconds: Int) {
        // Most are for what has just begun, and need no look at the clock.
        switch milliseconds {
        case ..<0: timer = .none
        case 0: timer = .atOnce
        default: timer = .at(.now.advanced(by: .milliseconds(milliseconds)))
        }
    }
}

extension ContinuousClock.Instant {
    /// How long it is until then, in milliseconds for a poller.
    var pollerMilliseconds: Int32 {
        let (seconds, attoseconds) = (self - .now).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 3600 else { return 3_600_000 }
        // Rounded up, or the thread would spin through the last millisecond.
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
