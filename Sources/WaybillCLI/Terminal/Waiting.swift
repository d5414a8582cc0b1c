import Dispatch
import Synchronization

/// Does asynchronous work to its end, while this thread waits.
///
/// All commands run on the main thread. Where the beginning of a program is itself asynchronous, the main thread ends at the
/// first wait, and others are started for what comes before and after, also while the system's loader is at work for
/// libcurl, which lets no thread begin meanwhile.
func waiting<Value: Sendable, Failure: Error>(
    for work: @escaping @Sendable () async throws(Failure) -> Value
) throws(Failure) -> Value {
    let outcome = Outcome<Value, Failure>()
    Task {
        do throws(Failure) {
            let value = try await work()
            outcome.result.withLock { $0 = .success(value) }
        } catch {
            outcome.result.withLock { $0 = .failure(error) }
        }
        outcome.end.signal()
    }
    outcome.end.wait()
    guard let result = outcome.result.withLock(\.self) else { preconditionFailure("the work has come to its end") }
    return try result.get()
}

/// What the work gives, for the thread that waits.
private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    let end = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Value, Failure>?>(nil)
}
