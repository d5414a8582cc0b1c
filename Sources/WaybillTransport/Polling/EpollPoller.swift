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

        // Enumerated constants in glibc, numbers in musl.
        #if canImport(Glibc)
            private static let (readable, writable) = (EPOLLIN.rawValue, EPOLLOUT.rawValue)
            private static let ended = EPOLLERR.rawValue | EPOLLHUP.rawValue
        #else
            private static let (readable, writable) = (UInt32(EPOLLIN), UInt32(EPOLLOUT))
            private static let ended = UInt32(EPOLLERR | EPOLLHUP)
        #endif

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
            if interest.contains(.readable) { event.events |= Self.readable }
            if interest.contains(.writable) { event.events |= Self.writable }
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
                if event.events & (Self.readable | Self.ended) != 0 {
                    readiness.insert(.readable)
                }
                if event.events & Self.writable != 0 { readiness.insert(.writable) }
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
