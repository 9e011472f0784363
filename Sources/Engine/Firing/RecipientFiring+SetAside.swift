package import CivilTime
package import Reminders
import Store

/// A recipient whose planning did not end (rule H6).
package struct SetAsideRecipient: Hashable, Sendable {
  package let name: String
  package let overrun: PlanningOverrun
  /// When planning is tried again, unless an event arrives earlier.
  package let retry: Instant
}

extension RecipientFiring {
  /// The time until planning is tried again.
  private static let pause = TimeSpan.hours(1)

  /// Sets a recipient of a group aside, and replaces the recipient's schedule in the group.
  func setAside(
    _ overrun: FiringGroup.Overrun, of group: inout FiringGroup, _ turn: inout Turn
  ) throws {
    let schedule = try setAside(
      &group.recipients[overrun.index], reporting: overrun.intake, overrun.overrun, &turn)
    group.set(schedule, at: overrun.index)
  }

  /// Sets a recipient aside. The reported events are applied to the facts. Nothing is planned or
  /// fired until planning is tried again: after an hour, or earlier with the next event.
  ///
  /// - Returns: the schedule for that attempt.
  func setAside(
    _ stored: inout StoredRecipient, reporting intake: Intake, _ overrun: PlanningOverrun,
    _ turn: inout Turn
  ) throws -> Schedule {
    let name = stored.recipient.name
    let committed = try turn.transaction.recipient(row: stored.row)?.recipient
    stored.recipient = committed ?? Recipient(name: name, now: turn.now)
    intake.foldFacts(into: &stored.recipient, planner: turn.planner)
    stored.hasUnsavedFacts = true
    let retry = turn.now + Self.pause
    turn.effects.setAside.recipients[stored.row] = SetAsideRecipient(
      name: name, overrun: overrun, retry: retry)
    return Schedule(due: retry, pending: stored.pending)
  }

  /// Applies the changes of a committed engine cycle, and reports the recipients that are newly set
  /// aside.
  func conclude(_ changes: SetAsideChanges) {
    for row in changes.replanned { setAside[row] = nil }
    let new = changes.recipients.filter { setAside[$0.key]?.overrun != $0.value.overrun }
    setAside.merge(changes.recipients) { $1 }
    if !new.isEmpty { actions.report(new.values.sorted { $0.name < $1.name }) }
  }
}
