package import CivilTime
package import Reminders

/// A notification that somebody wants sent to see whether it arrives (rule D5).
package struct TestOrder: Sendable {
  package var channel: Channel
  package var title: String
  package var body: String

  package init(channel: Channel, title: String, body: String) {
    self.channel = channel
    self.title = title
    self.body = body
  }
}

/// Whether it goes out.
package struct TestReceipt: Sendable {
  package var notification: String
  /// Why its channel cannot reach the person; nil if it can.
  package var obstacle: String?
  /// The sinks that carry its channel, in order of fallback.
  package var route: [String]

  package init(notification: String, obstacle: String?, route: [String]) {
    self.notification = notification
    self.obstacle = obstacle
    self.route = route
  }
}

/// What happens to it on its way.
package enum TestStep: Sendable {
  case handed(sink: String, channel: Channel, at: Instant)
  case attempted(Attempt)
  /// Another attempt follows, by this sink.
  case next(sink: String, channel: Channel, at: Instant, reason: String)
  case delivered(sink: String)
  case deadLetter(reason: String)

  /// Whether nothing comes after it.
  package var isLast: Bool {
    switch self {
    case .handed, .attempted, .next: false
    case .delivered, .deadLetter: true
    }
  }
}

/// Called with each step as it happens, on the engine's own thread.
package typealias TestWitness = @Sendable (TestStep) -> Void
