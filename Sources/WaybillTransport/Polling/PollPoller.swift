import WaybillPlatform
import WaybillRuntime

/// Waits with `poll(2)`, which every system has.
final class PollPoller: Poller {
    private var entries: [pollfd] = []
    private var indices: [Int32: Int] = [:]

    init() throws(SystemError) {}

    func watch(_ descriptor: Int32, for interest: Readiness) {
        var events: Int32 = 0
        if interest.contains(.readable) { events |= Int32(POLLIN) }
        if interest.contains(.writable) { events |= Int32(POLLOUT) }
        let entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        switch (indices[descriptor], interest.isEmpty) {
        case (let index?, true):
            indices[descriptor] = nil
            let last = entries.removeLast()
            if index < entries.count {
                entries[index] = last
                indices[last.fd] = index
            }
        case (let index?, false):
            entries[index] = entry
        case (nil, true):
            break
        case (nil, false):
            indices[descriptor] = entries.count
            entries.append(entry)
        }
    }

    func wait(milliseconds: Int32, _ tell: (ReadyDescriptor) -> Void) {
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        for entry in entries where entry.revents != 0 {
            var readiness: Readiness = []
            if Int32(entry.revents) & Int32(POLLIN | POLLERR | POLLHUP | POLLNVAL) != 0 { readiness.insert(.readable) }
            if Int32(entry.revents) & Int32(POLLOUT) != 0 { readiness.insert(.writable) }
            tell(ReadyDescriptor(descriptor: entry.fd, readiness: readiness))
        }
    }
}
