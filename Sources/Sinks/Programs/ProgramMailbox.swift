import CSystemd
import Glibc
import Synchronization
import Systemd

/// Messages from other threads to a `ProgramThread`.
final class ProgramMailbox: Sendable {
  private struct Contents {
    var jobs: [ProgramJob] = []
    /// Whether a requested stop is urgent; nil if no stop is requested.
    var stop: Bool?
    /// Whether the thread has ended.
    var hasEnded = false
    /// The callers that wait for the end of the thread.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// An eventfd that is raised when there is a message.
  let flag: Int32
  private let contents = Mutex(Contents())

  init() throws(SystemCallError) {
    flag = try SystemCallError.check("open an eventfd", chime_flag_open())
  }

  deinit { close(flag) }

  /// Adds a job; returns false after a stop.
  func post(_ job: ProgramJob) -> Bool {
    let isAccepted = contents.withLock { contents in
      if contents.stop == nil { contents.jobs.append(job) }
      return contents.stop == nil
    }
    if isAccepted { _ = chime_flag_raise(flag) }
    return isAccepted
  }

  func stop(isUrgent: Bool) {
    contents.withLock { $0.stop = isUrgent || $0.stop == true }
    _ = chime_flag_raise(flag)
  }

  /// Lowers the flag.
  func clear() { _ = chime_flag_clear(flag) }

  /// Returns the jobs that were added since the last call, and whether a requested stop is urgent;
  /// nil if no stop is requested.
  func removeMail() -> (jobs: [ProgramJob], stop: Bool?) {
    contents.withLock { contents in
      defer { contents.jobs = [] }
      return (contents.jobs, contents.stop)
    }
  }

  /// Returns when the thread has ended.
  func waitForEnd() async {
    await withCheckedContinuation { continuation in
      let hasEnded = contents.withLock { contents in
        if !contents.hasEnded { contents.waiters.append(continuation) }
        return contents.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// Records that the thread has ended, and resumes the callers that wait for that.
  func markEnded() {
    let waiters = contents.withLock { contents in
      contents.hasEnded = true
      defer { contents.waiters = [] }
      return contents.waiters
    }
    for continuation in waiters { continuation.resume() }
  }
}
