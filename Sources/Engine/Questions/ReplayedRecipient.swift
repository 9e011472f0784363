package import CivilTime
package import Reminders

/// A recipient at a past instant, decided again from stored data, and the parts that are unknown.
package struct ReplayedRecipient: Sendable {
  package let recipient: Recipient
  /// The planner with the catalogs and settings of that instant, and the current tz database and
  /// holidays.
  package let planner: Planner
  /// The releases of the tz database until that instant, except the current one. Their rules are
  /// not stored.
  package let missingZones: [String]
  /// The instant before which no decision is known; nil if all events are stored.
  package let progressStart: Instant?
  /// Whether the recipient has events from before the first stored adoption.
  package let hasUnknownCatalogs: Bool
  /// The number of events that the catalogs of their time could not read.
  package let lostEventCount: Int

  package init(
    recipient: Recipient, planner: Planner, missingZones: [String] = [],
    progressStart: Instant? = nil, hasUnknownCatalogs: Bool = false, lostEventCount: Int = 0
  ) {
    (self.recipient, self.planner, self.missingZones) = (recipient, planner, missingZones)
    (self.progressStart, self.hasUnknownCatalogs) = (progressStart, hasUnknownCatalogs)
    self.lostEventCount = lostEventCount
  }
}
