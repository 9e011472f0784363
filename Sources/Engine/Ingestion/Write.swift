package import Reminders

/// A change for one recipient whose answer lists the effects (rule P5).
package struct Write: Sendable {
  /// The events to ingest, all of one recipient.
  package var events: [Event]
  /// The required version of the recipient's preferences; nil for any.
  package var version: Int64?
  /// The id of a delivered notification that the write also dismisses; nil for none. If that
  /// notification was not delivered, or is dismissed already, the write is refused at
  /// `dismissedPath`.
  package var dismissed: String?
  /// The path of `dismissed` in refusals.
  package static let dismissedPath = "dismissed"

  package init(events: [Event], version: Int64? = nil, dismissed: String? = nil) {
    self.events = events
    self.version = version
    self.dismissed = dismissed
  }
}

/// The result of a write.
package enum WriteReceipt: Sendable {
  /// The write took effect. The version is that of the recipient's preferences afterwards.
  case done(Consequences, version: Int64)
  /// Refused; nothing changed.
  case refused(Refusal)
  /// The preferences have changed since the required version; nothing was written. The version is
  /// the current one.
  case outdated(version: Int64)
}
