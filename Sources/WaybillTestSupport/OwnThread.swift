import Dispatch

/// Executes a task beside all others, for a test that has a deadline or yields often: on Swift's own threads, it would wait each
/// time for whatever other tests compute there.
package final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "waybill.test")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
