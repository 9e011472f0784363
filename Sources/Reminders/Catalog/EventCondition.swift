import CivilTime

/// An event in a condition of a reminder, and which of its reports count (rule G6).
package struct EventCondition: Hashable, Sendable {
  package let event: Symbol
  /// Whether only reports about the occurrence's entity count. Such a report has the identifier of
  /// the event that the occurrence follows. If that event has no identifier, every report counts.
  package let isPerEntity: Bool
  /// Whether even a report that is older than the event of the occurrence cancels the occurrence.
  package var countsEarlier = false
  /// Whether only an occurrence with an identifier has reports that count.
  package var needsIdentifier = false
  /// The type of the withdrawals of `event`, which count as reports too: a withdrawal states that
  /// the event happened and no longer names this recipient (rule G10). Nil without `to`.
  package var withdrawal: Symbol?
}

extension Facts {
  /// Returns the latest report that counts for a condition.
  ///
  /// - Parameter identifier: the identifier of the occurrence's entity; nil if it has none.
  func latest(_ condition: EventCondition, about identifier: String?) -> Stamp? {
    if identifier == nil, condition.needsIdentifier { return nil }
    func last(_ event: Symbol) -> Stamp? {
      guard condition.isPerEntity, let identifier else { return mark(event)?.last }
      return item(event, identifier)?.stamp
    }
    let own = last(condition.event)
    guard let other = condition.withdrawal.flatMap(last) else { return own }
    return own.map { max($0, other) } ?? other
  }

  /// Returns the latest report that counts for any of the conditions.
  func latest(_ conditions: [EventCondition], about identifier: String?) -> Stamp? {
    conditions.lazy.compactMap { latest($0, about: identifier) }.max()
  }

  /// Returns the earliest known report that counts for a condition.
  func earliest(_ condition: EventCondition, about identifier: String?) -> Stamp? {
    func first(_ event: Symbol) -> Stamp? {
      guard condition.isPerEntity, let identifier else { return mark(event)?.first }
      return item(event, identifier)?.first
    }
    let own = first(condition.event)
    guard let other = condition.withdrawal.flatMap(first) else { return own }
    return own.map { min($0, other) } ?? other
  }

  /// Returns whether a condition cancels the occurrence that the event with this stamp has planned.
  func isCancelled(
    _ stamp: Stamp, about identifier: String?, by condition: EventCondition
  ) -> Bool {
    guard let cancelling = latest(condition, about: identifier) else { return false }
    return condition.countsEarlier || cancelling > stamp
  }
}

extension EventCondition {
  /// The types of the events that count.
  var events: [Symbol] { withdrawal.map { [event, $0] } ?? [event] }
}
