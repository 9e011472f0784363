import NIOCore
import NIOPosix
import Systemd

/// Has the watchdog ask each of the threads that take connections and answer requests whether it
/// comes to what it is handed.
enum EventLoopWatch {
  /// Adds a row to the heartbeats for each. Where nobody asks, none of them is ever woken for it.
  static func begin(with heartbeats: Heartbeats, at now: MonotonicInstant) {
    for (number, loop) in MultiThreadedEventLoopGroup.singleton.makeIterator().enumerated() {
      heartbeats.register("http thread \(number)", at: now) { progress in
        loop.execute { progress.idle(until: nil) }
      }
    }
  }
}

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
