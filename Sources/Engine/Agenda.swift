package import CivilTime
package import Reminders

/// What is pending for one recipient, in words and instants ready to be shown.
package struct Agenda: Sendable {
  package struct Entry: Sendable {
    /// Which of the person's occurrences it is; the same on both its ways out.
    package var identifier = ""
    package var reminder: String
    package var category: String
    package var channels: [Channel]
    package var title: String
    package var body: String
    package var planned: Instant
    /// When the gates will let it out as things stand, or the instant at which they drop it.
    package var at: Instant
    package var outcome: Outcome
    /// The gates that hold or drop it.
    package var reasons: [String]
    /// What the slot is kept for that it waits for (rule V5).
    package var waitsFor: SlotKeeping?
  }

  package var recipient: String
  package var zone: Zone
  /// Whether the zone is the service's default for want of the recipient's own (rule T4).
  package var isDefaultZone: Bool
  package var now: Instant
  /// In the order in which they go out.
  package var entries: [Entry]
}
