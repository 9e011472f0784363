import CivilTime
import Reminders
import Store

/// The return of recipients to an earlier instant after the clock was set back (rule T11).
extension Planning {
  /// Moves a recipient back to the instant before an undone leap (large forward jump) of the clock.
  /// Occurrences that were dropped because of the leap are decided again; sent ones are not sent
  /// again.
  func rewind(
    _ stored: inout StoredRecipient, to rewind: Rewind, in transaction: any StoreWriter
  ) throws {
    try correctTimes(of: &stored, by: rewind, in: transaction)
    guard stored.recipient.progress.cutoff > rewind.instant else { return }
    let drops = try transaction.drops(of: stored, after: rewind.notification)
    let requests = try requests(drops, of: stored.recipient.name, in: transaction)
    stored.recipient.rewind(
      to: rewind.instant, planner: stalePlanner, reopening: drops, requests: requests)
    if !requests.isEmpty { stored.hasUnsavedFacts = true }
    let context = PlanningContext(facts: stored.recipient.facts, planner: stalePlanner)
    stored.due = stored.recipient.schedule(in: context).due
  }

  /// Corrects the times of events that were reported without a time while the clock was wrong.
  /// These times are in the future. Without a correction, the events would count as later than all
  /// others that arrive before these times.
  private func correctTimes(
    of stored: inout StoredRecipient, by rewind: Rewind, in transaction: any StoreWriter
  ) throws {
    let times = try transaction.correctTimes(
      of: stored, since: rewind.returnTime, rewind.corrected)
    guard !times.isEmpty else { return }
    let reader = EventReader(planner: stalePlanner)
    let name = stored.recipient.name
    let events = try transaction.allEvents(of: stored).compactMap { event in
      try? reader.arrivals([event], of: name).first.map { ($0.event, event.order) }
    }
    let keys = stored.recipient.correct(times, folding: events, planner: stalePlanner)
    try transaction.renameOccurrences(of: stored, after: rewind.returnTime, keys)
    stored.hasUnsavedFacts = true
  }

  /// Returns the events that requested dropped occurrences, as far as the catalog still declares
  /// their reminders.
  private func requests(
    _ drops: [DroppedOccurrence], of name: String, in transaction: any StoreWriter
  ) throws -> [(event: Event, order: Int64)] {
    let reader = EventReader(planner: stalePlanner)
    let keys = drops.filter { drop in
      guard let reminder = stalePlanner.catalog.reminder(drop.reminder) else { return false }
      return if case .request = reminder.trigger { true } else { false }
    }
    return try transaction.events(orders: Set(keys.map(\.key)).sorted()).compactMap { event in
      try? reader.arrivals([event], of: name).first.map { ($0.event, event.order) }
    }
  }
}
