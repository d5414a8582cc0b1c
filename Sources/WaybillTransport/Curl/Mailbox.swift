import Synchronization
import WaybillRuntime

/// A queue of items from any thread to the one that handles them.
final class Mailbox<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item] = []
        var isClosed = false
        // Whether the thread notices an item only by the signal.
        var isOwnerWaiting = false

        mutating func endWaiting() -> Bool {
            defer { isOwnerWaiting = false }
            return isOwnerWaiting
        }
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    /// Creates a mailbox; throws the system's error.
    init() throws(SystemError) {
        wakeUp = try WakeUp()
    }

    /// Readable when the thread should wake up.
    var descriptor: Int32 { wakeUp.descriptor }

    /// Adds an item. Returns false if the mailbox is closed and the item will not be handled.
    func add(_ item: Item) -> Bool {
        let (isAccepted, needsSignal) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.items.append(item)
            return (true, state.endWaiting())
        }
        if needsSignal { wakeUp.signal() }
        return isAccepted
    }

    /// Stops accepting items. Those that are already in the mailbox are the last.
    func close() {
        let needsSignal = state.withLock { state in
            state.isClosed = true
            return state.endWaiting()
        }
        if needsSignal { wakeUp.signal() }
    }

    /// Moves the items since the last call into an empty array, whose memory is used for the next ones. Returns whether
    /// there may be more later. For the thread that handles the items, like the members below.
    func takeAll(into list: inout [Item]) -> Bool {
        state.withLock { state in
            swap(&state.items, &list)
            state.isOwnerWaiting = false
            return !state.isClosed
        }
    }

    /// Whether there is nothing to take, and the mailbox is open.
    var isEmpty: Bool {
        state.withLock { $0.items.isEmpty && !$0.isClosed }
    }

    /// Records that the thread is about to wait for the descriptor. Returns false if there is already something to
    /// take.
    func beginWaiting() -> Bool {
        state.withLock { state in
            state.isOwnerWaiting = state.items.isEmpty && !state.isClosed
            return state.isOwnerWaiting
        }
    }

    /// Makes the descriptor unreadable after the thread has woken up.
    func acknowledge() {
        wakeUp.clear()
    }

    /// Waits until there is something to take or the mailbox is closed.
    func wait() {
        while beginWaiting() { wakeUp.wait() }
    }
}
