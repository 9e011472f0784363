package import CivilTime
import Outbox
package import Reminders
import Store

/// A step of a test notification.
package enum TestStep: Sendable {
  /// The notification is being sent to this sink.
  case dispatched(sink: String, channel: Channel, at: Instant)
  /// An attempt has a result; a further step says what follows.
  case attempted(Attempt)
  /// Another attempt is scheduled at this sink.
  case next(sink: String, channel: Channel, at: Instant, reason: String)
  /// This sink has accepted the notification.
  case delivered(sink: String)
  /// No attempt follows.
  case deadLetter(reason: String)

  /// Whether this is the last step.
  package var isLast: Bool {
    switch self {
    case .dispatched, .attempted, .next: false
    case .delivered, .deadLetter: true
    }
  }
}

/// Called with each step as it happens, on the engine's thread.
package typealias TestObserver = @Sendable (TestStep) -> Void

extension TestStep {
  /// The step after an attempt, according to the stored states of the deliveries.
  init(after attempt: Attempt, _ states: [DeliveryState]) {
    guard attempt.verdict != .delivered else {
      self = .delivered(sink: attempt.sink)
      return
    }
    for state in states {
      if case .retrying(_, let due, let reason) = state.progress {
        self = .next(sink: state.sink, channel: state.channel, at: due, reason: reason)
        return
      }
    }
    self = .deadLetter(reason: attempt.reason)
  }
}
