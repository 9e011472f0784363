import CivilTime
import Outbox
import Reminders
import Store

/// The effects of the clock on planning (rule T6).
extension EngineCore {
  /// Returns whether the clock forbids this cycle, and then refuses its requests. A reload of the
  /// service vouches for the clock.
  func isHeld(_ requests: [Request], now: Instant) -> Bool {
    guard let hold = clock.hold,
      clock.isHeld(at: now, isTrusted: requests.contains(where: \.isAdoption))
    else { return false }
    let behind = ServiceUnavailable(
      .clockBehind,
      "the service's clock is at \(now), before its newest record at \(hold); nothing is ingested "
        + "until then: set the clock, or reload the service if the clock is right")
    for request in requests where !answerAtOnce(request) { refuse(request, behind) }
    return true
  }

  /// Advances to the time of a cycle, which is earlier than that of the previous one if the clock
  /// was set back.
  func advanceClock(to now: Instant) {
    if now < clock.latest {
      outbox.clockWasSetBack(to: now)
      pruning.clockWasSetBack(to: now)
      submissionPoll.clockWasSetBack(to: now)
    }
    if clock.advance(to: now) {
      if schedule.stale.isEmpty { stalePlanner = planner }
      schedule.replanEveryone()
    }
    if clock.leap == nil { schedule.advance(to: now) }
  }

  /// Records that a leap of the clock is trusted.
  ///
  /// - Parameter lead: how far the clock is ahead of the elapsed time.
  func believe(leapTo now: Instant, by lead: TimeSpan) {
    clock.believe(leapTo: now, by: lead, notification: store.lastNotification)
  }

  /// Returns one recipient to the instant before an undone leap: occurrences that the leap dropped
  /// are decided again, sent ones are not sent again.
  func takeBack(_ stored: inout StoredRecipient, in transaction: any StoreWriter) throws {
    guard let rewind = clock.rewind else { return }
    try correctTimes(of: &stored, by: rewind, in: transaction)
    guard stored.recipient.progress.cutoff > rewind.instant else { return }
    let drops = try transaction.drops(of: stored, after: rewind.notification)
    let requests = try requests(drops, of: stored.recipient.name, in: transaction)
    stored.recipient.rewind(
      to: rewind.instant, planner: stalePlanner, reopening: drops, requests: requests)
    if !requests.isEmpty { stored.hasNews = true }
    let context = PlanningContext(facts: stored.recipient.facts, planner: stalePlanner)
    stored.due = stored.recipient.schedule(in: context).due
  }

  /// Corrects the times of events that arrived without one: the wrong clock's times would win over
  /// all reports until then.
  private func correctTimes(
    of stored: inout StoredRecipient, by rewind: Rewind, in transaction: any StoreWriter
  ) throws {
    let times = try transaction.correctTimes(
      of: stored, since: rewind.returned, rewind.corrected)
    guard !times.isEmpty else { return }
    let reader = EventReader(planner: stalePlanner)
    let name = stored.recipient.name
    let events = try transaction.allEvents(of: stored).compactMap { kept in
      try? reader.arrivals([kept], of: name).first.map { ($0.event, kept.order) }
    }
    let keys = stored.recipient.correct(times, folding: events, planner: stalePlanner)
    try transaction.renameOccurrences(of: stored, after: rewind.returned, keys)
    stored.hasNews = true
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
    return try transaction.events(orders: Set(keys.map(\.key)).sorted()).compactMap { kept in
      try? reader.arrivals([kept], of: name).first.map { ($0.event, kept.order) }
    }
  }
}
