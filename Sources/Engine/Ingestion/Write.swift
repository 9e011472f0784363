package import Reminders

/// A change for one recipient whose answer lists the effects (rule P5).
package struct Write: Sendable {
  package var events: [Event]
  /// The required version of the recipient's preferences; nil for any.
  package var version: Int64?
  /// The id of a delivered notification that the write also dismisses; nil for none. If that
  /// notification was not delivered, or is dismissed already, the write is refused at
  /// `dismissedPath`.
  package var dismissed: String?
  package static let dismissedPath = "dismissed"

  package init(events: [Event], version: Int64? = nil, dismissed: String? = nil) {
    self.events = events
    self.version = version
    self.dismissed = dismissed
  }
}

/// The result of a write.
package enum WriteReceipt: Sendable {
  case done(Consequences, version: Int64)
  /// Refused; nothing changed.
  case refused(Refusal)
  /// The preferences have changed since the required version; nothing was written.
  case outdated(version: Int64)
}
