package import CivilTime

/// The result of the latest nightly audit.
package struct AuditSummary: Hashable, Sendable {
  /// The end of the audited interval.
  package var until: Instant
  /// The number of audited recipients.
  package var recipients: Int
  /// The number of compared occurrences.
  package var occurrences: Int
  /// The number of recipients with a difference that is not excused.
  package var differences: Int
  /// The number of recipients whose first disagreement is excused.
  package var excused: Int

  package init(
    until: Instant, recipients: Int, occurrences: Int, differences: Int, excused: Int
  ) {
    (self.until, self.recipients, self.occurrences) = (until, recipients, occurrences)
    (self.differences, self.excused) = (differences, excused)
  }

  init(_ audit: ServiceAudit) {
    self.init(
      until: audit.end, recipients: audit.auditedCount, occurrences: audit.occurrenceCount,
      differences: audit.differenceCount, excused: audit.excused.values.reduce(0, +))
  }

  var sentence: String {
    "the audit until \(until) compared \(occurrences) occurrences of \(recipients) recipients, "
      + "\(excused) of them excused"
  }
}
