import NIOCore
import NIOPosix
import Systemd

/// Makes the watchdog supervise the event loops' threads, which accept connections and answer
/// requests.
enum EventLoopWatch {
  /// Registers a heartbeat for each thread. Without a watchdog, no thread is woken for heartbeats.
  static func begin(with heartbeats: Heartbeats, at now: MonotonicInstant) {
    for (number, loop) in MultiThreadedEventLoopGroup.singleton.makeIterator().enumerated() {
      heartbeats.register("http thread \(number)", at: now) { progress in
        loop.execute { progress.idle(until: nil) }
      }
    }
  }
}

/// Runs tasks on NIO's threads; a connection's task runs on its connection's thread.
///
/// Swift's default executor is the thread pool of libdispatch. After its first job, this pool wakes
/// every second to count its threads; this cannot be disabled. So an idle process sleeps only if it
/// never uses the pool.
final class EventLoopExecutor: TaskExecutor {
  private let loops = MultiThreadedEventLoopGroup.singleton

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    loops.any().execute { job.runSynchronously(on: executor) }
  }
}
