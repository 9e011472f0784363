package import CivilTime
package import Reminders

/// One line of a timeline: a delivery or a drop (rule L1).
package struct TimelineEntry: Sendable {
  package var at: Instant
  package var recipient: String
  /// The recipient's, then.
  package var zone: Zone
  package var channel: Channel
  package var outcome: Outcome
  package var planned: Instant
  package var trace: GateTrace
  package var isSilent: Bool
  package var hints: Hints
  package var caption: Caption

  /// The order of a timeline: by instant, then recipient, then reminder, then channel.
  package static func isBefore(_ left: TimelineEntry, _ right: TimelineEntry) -> Bool {
    if left.at != right.at { return left.at < right.at }
    if left.recipient != right.recipient { return left.recipient < right.recipient }
    if left.caption.reminder != right.caption.reminder {
      return left.caption.reminder < right.caption.reminder
    }
    return left.channel.rawValue < right.channel.rawValue
  }
}
