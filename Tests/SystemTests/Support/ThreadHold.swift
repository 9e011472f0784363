import Glibc

/// One thread of a process that stands still, for as long as the process lives.
final class ThreadHold {
  /// Why threads cannot be held here; nil if they can.
  static let obstacle: String? = {
    guard geteuid() != 0 else { return nil }
    let reason = "only root may stop a single thread of another process"
    print("SKIPPED: threads that hang are not tested: \(reason)")
    return reason
  }()

  private let holder: ChildProcess

  /// - Parameter name: as the kernel shows it.
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
