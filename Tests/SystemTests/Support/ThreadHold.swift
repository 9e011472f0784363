import Glibc

/// Stops one thread of a process, until this object or the process ends.
final class ThreadHold {
  /// The reason why threads cannot be stopped here; nil if they can.
  static let obstacle: String? = {
    guard geteuid() != 0 else { return nil }
    let reason = "only root may stop a single thread of another process"
    print("SKIPPED: threads that hang are not tested: \(reason)")
    return reason
  }()

  private let holder: ChildProcess

  /// - Parameter name: the thread's name in the kernel.
  init(_ name: String, of process: ChildProcess) throws {
    let script = Project.root + "/Tests/SystemTests/Inside/hold-thread.py"
    holder = try ChildProcess("/usr/bin/python3", [script, "\(process.identifier)", name])
    while holder.output.takeLines().isEmpty {
      guard !holder.output.isAtEnd else {
        _ = try holder.finish()
        throw Failure(String(decoding: holder.errors.take(), as: UTF8.self))
      }
      holder.output.read()
    }
  }
}
