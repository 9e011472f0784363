import Synchronization
import Systemd

/// The batches that a sink was handed and has not come back from, answered for or not.
///
/// A sink that hangs keeps what it has: the lane's thread if it blocks, else none, and its batch.
/// So there are only so many, and the watchdog is told as long as there is one.
final class OpenCalls: Sendable {
  static let countMax = 4

  private let count = Mutex(0)
  private let progress: ProgressHandle

  init(_ progress: ProgressHandle) {
    self.progress = progress
  }

  /// Whether there may be one more.
  func begin() -> Bool {
    count.withLock { count in
      guard count < Self.countMax else { return false }
      count += 1
      progress.expect(at: .now)
      return true
    }
  }

  func end() {
    count.withLock { count in
      count -= 1
      if count == 0 { progress.idle(until: nil) }
    }
  }
}
