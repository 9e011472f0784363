import CivilTime
import Outbox
import Reminders
import Store

/// Rule T6: a service that starts with a clock far behind its own records has no idea what time it
/// is, as on a machine whose clock has lost its battery. It fires nothing and takes nothing in, for
/// all of that would be recorded at a wrong time, until the clock has caught up.
extension EngineCore {
  /// By how much the clock may be behind the newest record, as it is after a small correction.
  static let clockTolerance = TimeSpan.minutes(5)

  /// When a clock that is behind is right at the earliest.
  var clockRelease: Instant? { clockHold.map { $0 - Self.clockTolerance } }

  /// Looks at the clock when the service starts. One that is behind because it has come back from a
  /// leap that was believed before is right.
  func checkClock(_ now: Instant, in transaction: any StoreWriter) throws {
    leaps = BelievedLeaps(note: try transaction.note(Self.leapsNote) ?? "")
    rewind = try transaction.note(Self.rewindNote).flatMap(Rewind.init(note:))
    guard let newest = try transaction.newestRecord(), now < newest - Self.clockTolerance else {
      return
    }
    let step = max(newest - now, setBack)
    let back = leaps.takeBack(by: step, to: now)
    if back.isOfLeap {
      open(back, over: step)
    } else {
      clockHold = newest
    }
  }

  /// Whether nothing is to be done because of the clock. Who reloads the service says that the
  /// clock is right: it was the one before that ran ahead.
  func isHeld(_ requests: [Request], now: Instant) -> Bool {
    guard let hold = clockHold else { return false }
    let isTrusted = requests.contains(where: \.isAdoption)
    if isTrusted { latest = hold }
    guard let release = clockRelease, now < release, !isTrusted else {
      clockHold = nil
      return false
    }
    let behind = ServiceUnavailable(
      .clockBehind,
      "the service's clock says \(now), which is before what it recorded at \(hold); nothing is "
        + "taken in until the clock is right")
    for request in requests where !answerAtOnce(request) { refuse(request, behind) }
    return true
  }
}

/// A clock that was set back while the service ran, or while it did not.
extension EngineCore {
  private static let leapsNote = "clock leaps"
  private static let rewindNote = "clock return"

  /// Remembers that a leap is believed from now on.
  ///
  /// - Parameter lead: by how much the clock is ahead of the time that has passed.
  func believe(leapTo now: Instant, by lead: TimeSpan) {
    leaps.add(
      BelievedLeaps.Leap(
        origin: latest, arrival: now, lead: lead, notification: store.lastNotification))
    hasClockNews = true
  }

  /// A step of less than a minute lets nothing pass: what is planned within it went out already.
  func clockWasSetBack(to now: Instant) {
    outbox.clockWasSetBack(to: now)
    pruning.clockWasSetBack(to: now)
    guard now < latest - .minutes(1) else { return }
    let step = max(latest - now, setBack)
    open(leaps.takeBack(by: step, to: now), over: step)
    if schedule.stale.isEmpty { stalePlanner = planner }
    schedule.replanEveryone()
  }

  /// What a clock that ran ahead has let pass is opened again, and no retry waits for that clock's
  /// time.
  private func open(_ back: Rewind, over step: TimeSpan) {
    retryShift = retryShift + step
    if rewind == nil { rewind = back } else { rewind?.add(back) }
    hasClockNews = true
  }

  func saveClockNews(in transaction: any StoreWriter) throws {
    guard hasClockNews else { return }
    try saveTrust(in: transaction)
    try transaction.saveNote(Self.leapsNote, leaps.note)
    try saveRewind(schedule.stale.isEmpty ? nil : rewind, in: transaction)
    if let rewind { try transaction.boundErasures(by: rewind.returned) }
  }

  /// A restart goes on from what was trusted last.
  func saveTrust(in transaction: any StoreWriter) throws {
    if let trustNote { try transaction.saveNote(EngineLoop.trustNote, trustNote) }
  }

  /// A restart before everyone has been rewound goes on with it.
  func saveRewind(_ rewind: Rewind?, in transaction: any StoreWriter) throws {
    try transaction.saveNote(Self.rewindNote, rewind?.note ?? "")
  }

  /// Brings one recipient back to before a leap that is taken back: what was dropped because of it
  /// is decided anew, and what was said is not said again.
  func takeBack(_ stored: inout StoredRecipient, in transaction: any StoreWriter) throws {
    guard let rewind else { return }
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
