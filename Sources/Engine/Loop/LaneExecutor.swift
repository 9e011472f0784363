import Dispatch

/// A thread of a lane's own: a sink that blocks holds up nobody else (rule D3).
final class LaneExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(sink: String) {
    queue = DispatchQueue(label: "lane.\(sink)")
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }
}
