import Dispatch
import Synchronization

/// The results of two pieces of work that know nothing of each other, done at the same time on two threads.
///
/// - Parameter isLarge: Whether it takes so long that a second thread is worth its start; without it one comes after the
///   other.
package func sideBySide<First: Sendable, Second: Sendable>(
    if isLarge: Bool,
    _ first: @Sendable () -> First,
    _ second: @Sendable () -> Second
) -> (First, Second) {
    guard isLarge else { return (first(), second()) }
    let firstResult = Mutex<First?>(nil)
    let secondResult = Mutex<Second?>(nil)
    DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 {
            let result = first()
            firstResult.withLock { $0 = result }
        } else {
            let result = second()
            secondResult.withLock { $0 = result }
        }
    }
    guard let first = firstResult.withLock(\.self), let second = secondResult.withLock(\.self) else {
        preconditionFailure("both pieces of work were done")
    }
    return (first, second)
}
