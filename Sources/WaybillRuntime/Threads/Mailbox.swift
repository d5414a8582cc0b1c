import Synchronization

/// The way of things to do from any thread to one that does them.
package final class Mailbox<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item] = []
        var isClosed = false
        // Whether the thread will notice an item only by the signal.
        var isOwnerWaiting = false

        mutating func endWaiting() -> Bool {
            defer { isOwnerWaiting = false }
            return isOwnerWaiting
        }
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    /// Opens a mailbox; throws the error of the system.
    package init() throws(SystemError) {
        wakeUp = try WakeUp()
    }

    /// Readable when the thread should wake up.
    package var descriptor: Int32 { wakeUp.descriptor }

    /// Adds an item. False when the mailbox is closed, and the item will not be taken.
    package func add(_ item: Item) -> Bool {
        let (isAccepted, needsSignal) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.items.append(item)
            return (true, state.endWaiting())
        }
        if needsSignal { wakeUp.signal() }
        return isAccepted
    }

    /// Takes nothing any more: what is there is the last.
    package func close() {
        let needsSignal = state.withLock { state in
            state.isClosed = true
            return state.endWaiting()
        }
        if needsSignal { wakeUp.signal() }
    }

    /// Puts the items since the last call into an empty array, whose room is used for the next ones. Says whether there
    /// may be more later. For the thread that does them, as what follows.
    package func takeAll(into list: inout [Item]) -> Bool {
        state.withLock { state in
            swap(&state.items, &list)
            state.isOwnerWaiting = false
            return !state.isClosed
        }
    }

    /// Whether there is nothing to take, and the mailbox is open.
    package var isEmpty: Bool {
        state.withLock { $0.items.isEmpty && !$0.isClosed }
    }

    /// Says that the thread is going to wait for the descriptor; false when there is something to take already.
    package func beginWaiting() -> Bool {
        state.withLock { state in
            state.isOwnerWaiting = state.items.isEmpty && !state.isClosed
            return state.isOwnerWaiting
        }
    }

    /// Says that the thread has woken up because the descriptor was readable.
    package func acknowledge() {
        wakeUp.clear()
    }

    /// Returns when there is something to take or the mailbox is closed.
    package func wait() {
        while beginWaiting() { wakeUp.wait() }
    }
}
