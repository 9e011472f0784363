import Dispatch

/// Where tests that wait for processes run: on a thread of their own, one after the other, so that
/// they hold up none of those that share Swift's pool.
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
