import Dispatch
import Synchronization

/// Does asynchronous work to its end while this thread waits.
///
/// Commands are synchronous, as signals and the parser of arguments are, and run on the main thread.
func waiting<Value: Sendable, Failure: Error>(
    for work: @escaping @Sendable () async throws(Failure) -> Value
) throws(Failure) -> Value {
    let outcome = Outcome<Value, Failure>()
    Task {
        do throws(Failure) {
            let value = try await work()
            outcome.set(.success(value))
        } catch {
            outcome.set(.failure(error))
        }
    }
    return try outcome.wait().get()
}

/// What the work gives.
private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func set(_ result: Result<Value, Failure>) {
        self.result.withLock { $0 = result }
        isThere.signal()
    }

    func wait() -> Result<Value, Failure> {
        while true {
            isThere.wait()
            if let result = result.withLock(\.self) { return result }
        }
    }
}
