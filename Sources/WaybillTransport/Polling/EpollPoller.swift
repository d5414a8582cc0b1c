import WaybillPlatform
import WaybillRuntime

#if os(Linux)
    typealias SystemPoller = EpollPoller

    /// Waits with Linux's `epoll`, whose cost does not grow with the number of descriptors.
    ///
    /// A descriptor that is no longer watched stays in the queue until it reports an event: the socket of a reused
    /// connection is watched again and again, and this saves a system call each time.
    final class EpollPoller: Poller {
        private enum State: UInt8 {
            case unknown, atRest, watched
        }

        private let queue: Int32
        // Indexed by descriptor.
        private var states: [State] = []
        private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 256)

        init() throws(SystemError) {
            queue = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard queue >= 0 else { throw .last }
        }

        deinit {
            if queue >= 0 { close(queue) }
            events.deallocate()
        }

        func watch(_ descriptor: Int32, for interest: Readiness) {
            let index = Int(descriptor)
            while states.count <= index { states.append(.unknown) }
            if interest.isEmpty {
                if states[index] == .watched { states[index] = .atRest }
                return
            }
            var event = epoll_event()
            event.data.fd = descriptor
            if interest.contains(.readable) { event.events |= EPOLLIN.rawValue }
            if interest.contains(.writable) { event.events |= EPOLLOUT.rawValue }
            let isKnown = states[index] != .unknown
            states[index] = .watched
            let code = epoll_ctl(queue, isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event)
            // Closing a descriptor removes it from the queue, and its number may have been reused since then.
            if isKnown && code != 0 { epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event) }
        }

        func wait(milliseconds: Int32, _ tell: (ReadyDescriptor) -> Void) {
            let count = epoll_wait(queue, events.baseAddress, Int32(events.count), milliseconds)
            guard count > 0 else { return }
            for event in events.prefix(Int(count)) {
                let descriptor = event.data.fd
                guard states[Int(descriptor)] == .watched else {
                    forget(descriptor)
                    continue
                }
                var readiness: Readiness = []
                if event.events & (EPOLLIN.rawValue | EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
                    readiness.insert(.readable)
                }
                if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
                tell(ReadyDescriptor(descriptor: descriptor, readiness: readiness))
            }
        }

        private func forget(_ descriptor: Int32) {
            var event = epoll_event()
            epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, &event)
            states[Int(descriptor)] = .unknown
        }
    }
#else
    typealias SystemPoller = PollPoller
#endif
