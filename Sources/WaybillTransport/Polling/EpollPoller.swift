#if canImport(Glibc)
    import CLibCurl
    import Glibc

    /// Waits by Linux's `epoll`, whose cost does not grow with the number of descriptors.
    final class EpollPoller: Poller {
        private let queue: Int32
        private var watched: Set<Int32> = []
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
            var event = epoll_event()
            event.data.fd = descriptor
            if interest.contains(.readable) { event.events |= EPOLLIN.rawValue }
            if interest.contains(.writable) { event.events |= EPOLLOUT.rawValue }
            if interest.isEmpty {
                if watched.remove(descriptor) != nil {
                    // Fails when the descriptor has been closed, which took it out as well.
                    epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, &event)
                }
            } else {
                let isNew = watched.insert(descriptor).inserted
                epoll_ctl(queue, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event)
            }
        }

        func wait(milliseconds: Int32) -> [ReadyDescriptor] {
            let count = epoll_wait(queue, events.baseAddress, Int32(events.count), milliseconds)
            guard count > 0 else { return [] }
            return events.prefix(Int(count)).map { event in
                var readiness: Readiness = []
                if event.events & (EPOLLIN.rawValue | EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
                    readiness.insert(.readable)
                }
                if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
                return ReadyDescriptor(descriptor: event.data.fd, readiness: readiness)
            }
        }
    }
#endif
