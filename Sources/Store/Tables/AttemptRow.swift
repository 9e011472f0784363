import CivilTime
package import Reminders

/// A row of `attempt`.
package struct AttemptRow: Sendable {
  package private(set) var attempt: Attempt
  /// The number of the attempt within its delivery, from 1. A report and the steps of a withdrawal
  /// have the numbers 0 and below.
  package let number: Int64

  /// The number of a delivery's report, of which there is at most one.
  package static let reportNumber: Int64 = 0

  /// Returns the number of a step of a withdrawal: the decision, or the result.
  package static func number(ofWithdrawal step: Attempt) -> Int64 {
    step.verdict == .withdrawing ? -2 : -1
  }

  /// Creates a new row, with the reason cut to `DeliveryChanges.reasonMax` characters.
  package init(_ attempt: Attempt, number: Int64) {
    (self.attempt, self.number) = (attempt, number)
    self.attempt.reason = String(attempt.reason.prefix(DeliveryChanges.reasonMax))
  }

  /// Returns nil if this version has no such channel or verdict.
  package init?(from reader: inout some RowReader) {
    let (notification, channel) = (reader.integer(), Channel(rawValue: reader.byte()))
    number = reader.integer()
    let (sink, at) = (reader.text(), reader.instant())
    guard let channel, let verdict = Attempt.Verdict(rawValue: reader.byte()) else { return nil }
    attempt = Attempt(
      notification: notification, channel: channel, sink: sink, at: at, verdict: verdict,
      status: reader.optionalText(), excerpt: reader.text(),
      duration: reader.optionalInteger().map { TimeSpan(milliseconds: $0) },
      reason: reader.text())
  }

  package func put(to writer: inout some RowWriter) {
    writer.put(integer: attempt.notification)
    writer.put(integer: Int64(attempt.channel.rawValue))
    writer.put(integer: number)
    writer.put(text: attempt.sink)
    writer.put(instant: attempt.at)
    writer.put(integer: Int64(attempt.verdict.rawValue))
    writer.put(optionalText: attempt.status)
    writer.put(text: attempt.excerpt)
    writer.put(optionalInteger: attempt.duration?.milliseconds)
    writer.put(text: attempt.reason)
  }
}
