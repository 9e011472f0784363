import CivilTime
import Store

/// The engine's view of its clock (rules T6, T11, T12): whether the clock is trusted, and which of
/// its leaps were trusted. A leap is a large forward jump. If the clock is set back later, the
/// effects of the leap are undone.
///
/// A clock far behind the newest record is not trusted at a start, as on a machine whose clock
/// battery is empty. The engine fires and ingests nothing until the clock has caught up, because
/// everything would be recorded at a wrong time.
struct EngineClock: Sendable {
  /// How far the clock may be behind the newest record, such as after a small correction.
  static let tolerance = TimeSpan.minutes(5)
  /// The largest step back after which recipients are not replanned. Everything that was due within
  /// a smaller step has already been sent.
  private static let smallStep = TimeSpan.minutes(1)
  private static let leapsNote = "clock leaps"
  private static let rewindNote = "clock return"
  static let trustNote = "clock trust"

  /// The time of the latest engine cycle. If an operator confirms a clock that is behind the newest
  /// record, this property becomes the time of that record. So `advance` finds the step back.
  private(set) var latest: Instant
  /// How far the clock was set back since the previous cycle, as `TrustedClock` has measured it.
  var setBack: TimeSpan
  /// The time of the newest record while the clock is far behind that record and not trusted; nil
  /// otherwise.
  private(set) var hold: Instant?
  /// The wall clock's time while a leap is not trusted yet, so that nothing is sent; nil otherwise.
  var leap: Instant?
  /// The trusted leaps of the clock.
  private(set) var leaps = TrustedLeaps()
  /// The return of recipients to an earlier instant after the clock was set back; nil if no
  /// recipient has to return. Recipients return when they are replanned.
  private(set) var rewind: Rewind?
  /// How far the clock was set back since the retries were last shifted.
  private(set) var retryShift = TimeSpan.zero
  /// Whether the leaps, the rewind or the note about the clock have changed since they were saved.
  private(set) var isUnsaved = false
  /// The note by which a later start judges its clock; nil if there is none.
  var trust: String?

  init(now: Instant, setBack: TimeSpan, trust: String?) {
    (latest, self.setBack, self.trust) = (now, setBack, trust)
  }

  /// The time from which a clock that is behind the newest record is trusted; nil without a `hold`.
  var release: Instant? { hold.map { $0 - Self.tolerance } }

  /// Whether due occurrences may be sent and old data removed.
  var isTrusted: Bool { hold == nil && leap == nil }

  /// Checks the clock at a start. A clock that is behind the newest record is right if it has just
  /// returned from a trusted leap.
  mutating func start(at now: Instant, in transaction: any StoreWriter) throws {
    leaps = TrustedLeaps(note: try transaction.note(Self.leapsNote) ?? "")
    rewind = try transaction.note(Self.rewindNote).flatMap(Rewind.init(note:))
    guard let newest = try transaction.newestRecord(), now < newest - Self.tolerance else { return }
    let step = max(newest - now, setBack)
    let newRewind = leaps.undo(by: step, to: now)
    if newRewind.undoesLeap {
      recordRewind(newRewind, over: step)
    } else {
      hold = newest
    }
  }

  /// Updates the hold and returns whether the clock is still too far behind.
  ///
  /// - Parameter isTrusted: whether an operator confirms that the clock is right. If so, the newest
  ///   record was written while the clock was ahead.
  mutating func updateHold(at now: Instant, isTrusted: Bool) -> Bool {
    guard let hold, let release else { return false }
    if isTrusted { latest = hold }
    if now < release, !isTrusted { return true }
    self.hold = nil
    return false
  }

  /// Advances to the time of a cycle.
  ///
  /// - Returns: whether the clock went back so far that every recipient has to be replanned.
  mutating func advance(to now: Instant) -> Bool {
    defer { (latest, setBack) = (now, .zero) }
    guard now < latest - Self.smallStep else { return false }
    let step = max(latest - now, setBack)
    recordRewind(leaps.undo(by: step, to: now), over: step)
    return true
  }

  /// Records that a leap is trusted.
  ///
  /// - Parameters:
  ///   - lead: how far the clock is ahead of the elapsed time.
  ///   - notification: the newest notification recorded before the leap.
  mutating func recordTrustedLeap(to now: Instant, by lead: TimeSpan, notification: Int64) {
    leaps.add(
      TrustedLeaps.Leap(origin: latest, arrival: now, lead: lead, notification: notification))
    isUnsaved = true
  }

  /// Sets the note about the clock, which the next commit saves for a later start. Without the new
  /// note, the later start would mistake the jump that ended a hold for a leap.
  mutating func changeTrust(to trust: String?) {
    isUnsaved = isUnsaved || trust != self.trust
    self.trust = trust
  }

  /// Records that occurrences have to be decided again, because they expired while the clock was
  /// ahead, and that the times of the retries have to be shifted.
  ///
  /// - Parameter step: how far the clock was set back.
  private mutating func recordRewind(_ newRewind: Rewind, over step: TimeSpan) {
    retryShift = retryShift + step
    if rewind == nil { rewind = newRewind } else { rewind?.add(newRewind) }
    isUnsaved = true
  }

  /// Forgets the rewind. Called when no recipient has to be rewound any longer.
  mutating func endRewind() { rewind = nil }

  mutating func clearRetryShift() { retryShift = .zero }

  mutating func recordSaved() { isUnsaved = false }
}

/// Persistence of the clock's state.
extension EngineClock {
  /// Saves the state if it has changed since it was last saved.
  ///
  /// - Parameter isRewinding: whether the occurrences of some recipients still have to be decided
  ///   again.
  func saveChanges(isRewinding: Bool, in transaction: any StoreWriter) throws {
    guard isUnsaved else { return }
    try saveTrust(in: transaction)
    try transaction.saveNote(Self.leapsNote, leaps.note)
    try transaction.saveNote(Self.rewindNote, isRewinding ? rewind?.note ?? "" : "")
    if let rewind { try transaction.limitErasureTimes(by: rewind.returnTime) }
  }

  /// Saves the note by which a later start judges its clock.
  func saveTrust(in transaction: any StoreWriter) throws {
    if let trust { try transaction.saveNote(Self.trustNote, trust) }
  }

  /// Deletes the note of the rewind, in the cycle that rewinds the last recipient.
  func forgetRewind(in transaction: any StoreWriter) throws {
    if rewind != nil { try transaction.saveNote(Self.rewindNote, "") }
  }
}
