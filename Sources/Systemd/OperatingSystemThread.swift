import CSystemd
import Glibc

/// A thread of the operating system, apart from Swift's pool.
package struct OperatingSystemThread: Sendable {
  private let thread: pthread_t

  /// Carries the work to the new thread.
  private final class Work {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread. A `name` of more than 15 bytes is not shown, by the kernel's limit.
  package init(name: String, _ run: @escaping @Sendable () -> Void) throws(SystemCallError) {
    let work = Unmanaged.passRetained(
      Work {
        _ = chime_thread_name(name)
        run()
      })
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw SystemCallError("start the thread \(name)", code: code)
    }
    self.thread = thread
  }

  /// Waits until the thread has ended; to be called once.
  package func join() { pthread_join(thread, nil) }

  /// Leaves the thread to itself; nobody can wait for it then.
  package func detach() { pthread_detach(thread) }
}
