import Dispatch

/// Runs tests that wait for processes on their own thread, one after another, so that they do not
/// block Swift's thread pool.
@globalActor actor OwnThread {
  static let shared = OwnThread()

  private final class Executor: SerialExecutor {
    private let queue = DispatchQueue(label: "system tests")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private let executor = Executor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }
}
