internal import NIOCore
internal import NIOPosix

/// One thread for a sink's connections, and for the tasks that use them: neither has to wake
/// another thread to hand something to the other.
package final class LoopExecutor: TaskExecutor {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  init() {}

  var loops: any EventLoopGroup { group }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    group.any().execute { job.runSynchronously(on: executor) }
  }

  deinit {
    group.shutdownGracefully { _ in }
  }
}
