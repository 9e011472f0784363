import CivilTime
import Outbox
import Reminders
import Store

/// What the clock does to what is planned (rule T6).
extension EngineCore {
  /// Whether nothing is to be done because of the clock. Who reloads the service says that it is
  /// right.
  func isHeld(_ requests: [Request], now: Instant) -> Bool {
    guard let hold = clock.hold,
      clock.isHeld(at: now, isTrusted: requests.contains(where: \.isAdoption))
    else { return false }
    let behind = ServiceUnavailable(
      .clockBehind,
      "the service's clock says \(now), which is before what it recorded at \(hold); nothing is "
        + "taken in until the clock is right")
    for request in requests where !answerAtOnce(request) { refuse(request, behind) }
    return true
  }

  /// Goes on to the time of a turn, which is earlier than that of the turn before where the clock
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

  /// Remembers that a leap of the clock is believed from now on.
  ///
  /// - Parameter lead: by how much the clock is ahead of the time that has passed.
  func believe(leapTo now: Instant, by lead: TimeSpan) {
    clock.believe(leapTo: now, by: lead, notification: store.lastNotification)
  }

  /// Brings one recipient back to before a leap that is taken back: what was dropped because of it
  /// is decided anew, and what was said is not said again.
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

  /// Events that came without a time have one by the wrong clock, and would win over all that is
  /// told until then.
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

  /// The events that asked for something that was dropped, as far as the catalog still knows what
  /// they ask for.
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
