import Dispatch
import Synchronization

/// The results of two pieces of work that know nothing of each other, done at the same time on two threads.
///
/// - Parameter isLarge: Whether it takes so long that a second thread is worth its start; without it one comes after the
///   other.
@inlinable
package func sideBySide<First: Sendable, Second: Sendable>(
    if isLarge: Bool,
    _ first: @Sendable () -> First,
    _ second: @Sendable () -> Second
) -> (First, Second) {
    guard isLarge else { return (first(), second()) }
    let (first, second, _) = onTwoThreads(first, second) {}
    return (first, second)
}

/// The results of three pieces of work that know nothing of each other. Each thread takes the next one when it is done with
/// one, so that the longest should come first.
///
/// - Parameter isLarge: Whether it takes so long that a second thread is worth its start; without it one comes after the
///   other.
@inlinable
package func sideBySide<First: Sendable, Second: Sendable, Third: Sendable>(
    if isLarge: Bool,
    _ first: @Sendable () -> First,
    _ second: @Sendable () -> Second,
    _ third: @Sendable () -> Third
) -> (First, Second, Third) {
    isLarge ? onTwoThreads(first, second, third) : (first(), second(), third())
}

/// Apart from the above, which is inlined: where one thing comes after the other, nothing of the process's time goes into
/// the types of what is kept here.
@usableFromInline
package func onTwoThreads<First: Sendable, Second: Sendable, Third: Sendable>(
    _ first: @Sendable () -> First,
    _ second: @Sendable () -> Second,
    _ third: @Sendable () -> Third
) -> (First, Second, Third) {
    let results = Mutex<(First?, Second?, Third?)>((nil, nil, nil))
    DispatchQueue.concurrentPerform(iterations: 3) { index in
        switch index {
        case 0:
            let result = first()
            results.withLock { $0.0 = result }
        case 1:
            let result = second()
            results.withLock { $0.1 = result }
        default:
            let result = third()
            results.withLock { $0.2 = result }
        }
    }
    guard case (let first?, let second?, let third?) = results.withLock(\.self) else {
        preconditionFailure("all pieces of work were done")
    }
    return (first, second, third)
}
