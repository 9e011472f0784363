import CivilTime

/// The event that a condition of a reminder names, and the reports of it that count (rule G6).
package struct EventCondition: Hashable, Sendable {
  /// The type of the event.
  package let event: Symbol
  /// Whether only reports about the occurrence's entity count: reports with the identifier of the
  /// event that triggered the occurrence. If that event has no identifier, every report counts.
  package let isPerEntity: Bool
  /// Whether a report cancels the occurrence even if it is older than the triggering event.
  package var countsEarlier = false
  /// Whether no report counts for an occurrence without an identifier.
  package var needsIdentifier = false
  /// The type of the withdrawals of `event`; nil for a reminder without `to`. A withdrawal counts
  /// as a report too. It states that the event happened and no longer names this recipient (rule
  /// G10).
  package var withdrawal: Symbol?
}

extension Facts {
  /// Returns the stamp (time and order of arrival) of the latest report that counts for a
  /// condition.
  ///
  /// - Parameter identifier: the identifier of the occurrence's entity; nil if it has none.
  func latest(_ condition: EventCondition, about identifier: String?) -> Stamp? {
    if identifier == nil, condition.needsIdentifier { return nil }
    func last(_ event: Symbol) -> Stamp? {
      guard condition.isPerEntity, let identifier else { return mark(event)?.last }
      return item(event, identifier)?.stamp
    }
    let report = last(condition.event)
    guard let withdrawal = condition.withdrawal.flatMap(last) else { return report }
    return report.map { max($0, withdrawal) } ?? withdrawal
  }

  /// Returns the stamp of the latest report that counts for any of the conditions.
  func latest(_ conditions: [EventCondition], about identifier: String?) -> Stamp? {
    conditions.lazy.compactMap { latest($0, about: identifier) }.max()
  }

  /// Returns the stamp of the earliest known report that counts for a condition.
  func earliest(_ condition: EventCondition, about identifier: String?) -> Stamp? {
    func first(_ event: Symbol) -> Stamp? {
      guard condition.isPerEntity, let identifier else { return mark(event)?.first }
      return item(event, identifier)?.first
    }
    let report = first(condition.event)
    guard let withdrawal = condition.withdrawal.flatMap(first) else { return report }
    return report.map { min($0, withdrawal) } ?? withdrawal
  }

  /// Returns whether a condition cancels the occurrence that the event with this stamp has planned.
  func isCancelled(
    _ stamp: Stamp, about identifier: String?, by condition: EventCondition
  ) -> Bool {
    guard let latestStamp = latest(condition, about: identifier) else { return false }
    return condition.countsEarlier || latestStamp > stamp
  }
}

extension EventCondition {
  /// The types of the events that count.
  var events: [Symbol] { withdrawal.map { [event, $0] } ?? [event] }
}
