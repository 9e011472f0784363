import Glibc
import Systemd

/// Decides when a start of the service has to be ended: after a request to stop, or if it makes no
/// progress.
struct StartJudge {
  enum End: Hashable {
    case stopped(step: String)
    case stalled(step: String, Duration)

    var message: String {
      switch self {
      case .stopped(let step): "stopped during the start: \(step)"
      case .stalled(let step, let span):
        "the start made no progress for \(span.components.seconds) s: \(step); it ends, and the "
          + "service manager restarts the service"
      }
    }

    var code: Int32 {
      switch self {
      case .stopped: 0
      case .stalled: 71
      }
    }
  }

  /// The maximum time without progress; less than the unit's `TimeoutStartSec=`.
  static let timeout = Duration.seconds(40)
  /// The timeout of an orderly stop.
  static let stopTimeout = Duration.seconds(5)
  /// The least work that counts as progress, in milliseconds plus blocks: more than the supervision
  /// itself needs.
  private static let progressMin = 20

  private let timeout: Duration
  /// The step of the start at the last progress.
  private var step = ""
  /// The work of the process at the last progress.
  private var work = 0
  /// The time of the last progress.
  private var lastProgress: MonotonicInstant
  /// When the service was first asked to stop; nil if it was not.
  private var stopTime: MonotonicInstant?

  init(at now: MonotonicInstant, timeout: Duration = Self.timeout) {
    self.timeout = timeout
    lastProgress = now
  }

  /// Records that the service is asked to stop.
  mutating func stop(at now: MonotonicInstant) { stopTime = stopTime ?? now }

  /// Checks the start. A new step counts as progress. So does work, because reading a large store
  /// may take any time.
  ///
  /// - Parameters:
  ///   - isWaiting: whether the process can be ended immediately.
  ///   - work: the work of the process so far, in milliseconds plus blocks.
  /// - Returns: how the start has to be ended; nil if it may continue.
  mutating func check(
    at step: String, isWaiting: Bool = false, work: Int, now: MonotonicInstant
  ) -> End? {
    if let stopTime, isWaiting || now - stopTime >= Self.stopTimeout { return .stopped(step: step) }
    if step != self.step || work - self.work >= Self.progressMin {
      (self.step, self.work, lastProgress) = (step, work, now)
    }
    let span = now - lastProgress
    return span >= timeout ? .stalled(step: step, span) : nil
  }
}
