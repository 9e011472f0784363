import CSystemd
import Glibc

/// A thread of the operating system, outside Swift's pool.
package struct OperatingSystemThread: Sendable {
  private let thread: pthread_t

  /// Carries the closure to the new thread.
  private final class Work {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts a thread. The kernel does not show a `name` of more than 15 bytes.
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

  /// Waits until the thread has ended. Call it only once.
  package func join() { pthread_join(thread, nil) }

  /// Detaches the thread; `join` is not allowed afterwards.
  package func detach() { pthread_detach(thread) }
}
