import Dispatch

/// Runs the calls to the sink of one lane on a separate serial queue, so that a sink that blocks
/// delays no other (rule D3).
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
