import Dispatch

/// Runs a task on a separate thread, for a test that has a deadline or yields often: on Swift's own threads, it would
/// wait for the computations of other tests each time.
package final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "waybill.test")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
