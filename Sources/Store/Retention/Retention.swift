package import CivilTime

/// For how long the store keeps what (rule H7).
package struct Retention: Hashable, Sendable {
  package var notifications = TimeSpan.days(400)
  package var events = TimeSpan.days(90)
  package var attempts = TimeSpan.days(30)
  package var analytics = TimeSpan.days(90)

  package init() {}

  /// The shortest that may be asked for: what happened today is needed.
  package static let least = TimeSpan.days(1)

  /// How many unread items of an inbox stay, however old they are.
  package static let unreadKept = 100
}

/// What is removed when its time is over, in the order in which that is done.
package enum KeptPart: String, CaseIterable, Sendable {
  case attempts, events, notifications, analytics
}

extension Retention {
  package func span(of part: KeptPart) -> TimeSpan {
    switch part {
    case .attempts: attempts
    case .events: events
    case .notifications: notifications
    case .analytics: analytics
    }
  }
}

/// What a step has come to.
package struct Pruned: Sendable {
  /// How many rows were removed.
  package var removed = 0
  /// The row to go on behind; nil when nothing more is old enough.
  package var place: Int64?

  package init(removed: Int = 0, place: Int64? = nil) {
    self.removed = removed
    self.place = place
  }
}
