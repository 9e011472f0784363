import Outbox
import Synchronization
import Systemd

/// The two threads of a sink that runs programs: one for deliveries and one for analytics events,
/// so that neither waits for the other. The thread for analytics starts with the first analytics
/// event.
final class ProgramThreads: Sendable {
  private enum Analytics {
    case none
    case running(ProgramThread)
    case stopped
  }

  /// The thread for deliveries.
  let deliveries: ProgramThread
  /// The thread for analytics events.
  private let analytics = Mutex(Analytics.none)
  private let name: String
  /// Creates the loop of a thread, on that thread.
  private let make: @Sendable (WaitSet) -> any ProgramLoop

  init(
    name: String, _ make: @escaping @Sendable (WaitSet) -> any ProgramLoop
  ) throws(SystemCallError) {
    (self.name, self.make) = (name, make)
    deliveries = try ProgramThread(name: name, make)
  }

  /// Sends analytics events, one after the other.
  func deliver(
    _ events: [AnalyticsItem], for sink: some AnalyticsSink
  ) async throws(SinkOutage) -> [SinkAnswer] {
    let thread = try analyticsThread()
    let start = ContinuousClock.now
    return try await sink.deliverInOrder(
      events, until: { start.isLongAgo },
      by: { event async throws(SinkOutage) in
        let answers = try await thread.answers(to: [event]).get()
        guard let answer = answers.first else { throw SinkOutage("it gave no answer") }
        return answer
      })
  }

  private func analyticsThread() throws(SinkOutage) -> ProgramThread {
    try analytics.withLock { analytics throws(SinkOutage) in
      switch analytics {
      case .running(let thread): return thread
      case .stopped: throw SinkOutage("the service stopped")
      case .none:
        do throws(SystemCallError) {
          let thread = try ProgramThread(name: name, make)
          analytics = .running(thread)
          return thread
        } catch {
          throw SinkOutage(error.description)
        }
      }
    }
  }

  /// Lets the programs end within their grace period, and returns when they have ended.
  func stop() async {
    let running: ProgramThread? = analytics.withLock { analytics in
      defer { analytics = .stopped }
      if case .running(let thread) = analytics { return thread }
      return nil
    }
    async let ended: Void? = running?.stop()
    await deliveries.stop()
    await ended
  }
}
