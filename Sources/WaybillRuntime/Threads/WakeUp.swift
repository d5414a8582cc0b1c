import WaybillPlatform

/// Wakes a thread that waits for a descriptor, from any thread: with an `eventfd`, or with a pipe on systems without
/// it.
package final class WakeUp: Sendable {
    /// Readable after `signal` until `clear`.
    package let descriptor: Int32
    private let writeDescriptor: Int32

    /// Opens the descriptors; throws the system's error.
    package init() throws(SystemError) {
        var ends: (readable: Int32, writable: Int32) = (-1, -1)
        let code = waybill_open_wake_up(&ends.readable, &ends.writable)
        (descriptor, writeDescriptor) = ends
        guard code == 0 else { throw .last }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if writeDescriptor != descriptor { close(writeDescriptor) }
    }

    /// Makes the descriptor readable. Writing fails only if it is already readable.
    package func signal() {
        var one: UInt64 = 1
        _ = write(writeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Makes the descriptor unreadable until the next signal.
    package func clear() {
        var count: UInt64 = 0
        while read(descriptor, &count, MemoryLayout<UInt64>.size) == MemoryLayout<UInt64>.size
            && descriptor != writeDescriptor
        {}
    }

    /// Sleeps until it is signalled or this many milliseconds have passed (-1: no limit), and makes the descriptor
    /// unreadable. May return early.
    package func wait(milliseconds: Int32 = -1) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&request, 1, milliseconds)
        clear()
    }
}
