import NIOCore
import NIOPosix

/// Runs tasks on NIO's threads, of which a connection's task then finds itself on its connection's
/// own.
///
/// Swift's default pool is libdispatch's, which from its first job on wakes every second to count
/// its threads; nobody can tell it not to. A process that never gives it a job sleeps.
final class EventLoopExecutor: TaskExecutor {
  private let loops = MultiThreadedEventLoopGroup.singleton

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    loops.any().execute { job.runSynchronously(on: executor) }
  }
}
