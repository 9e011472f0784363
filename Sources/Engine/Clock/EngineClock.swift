import CivilTime
import Store

/// What the engine knows of the clock that it goes by (rule T6): whether that can be right, and
/// what is to be taken back because it was not.
///
/// A service that starts with a clock far behind its own records has no idea what time it is, as on
/// a machine whose clock has lost its battery. It fires nothing and takes nothing in, for all of
/// that would be recorded at a wrong time, until the clock has caught up.
struct EngineClock: Sendable {
  /// By how much it may be behind the newest record, as it is after a small correction.
  static let tolerance = TimeSpan.minutes(5)
  /// Within a smaller step back nothing lies that did not go out already.
  private static let smallStep = TimeSpan.minutes(1)
  private static let leapsNote = "clock leaps"
  private static let rewindNote = "clock return"
  static let trustNote = "clock trust"

  /// When the latest turn was.
  private(set) var latest: Instant
  /// By how much it was set back since the turn before, as far as the clock itself tells.
  var setBack: TimeSpan
  /// What was recorded last, while the clock is far behind that and not to be trusted.
  private(set) var hold: Instant?
  /// What the wall clock says while that is not believed; nothing goes out then.
  var leap: Instant?
  /// The leaps of the clock that were believed.
  private(set) var leaps = BelievedLeaps()
  /// To where everyone who is stale is brought back.
  private(set) var rewind: Rewind?
  /// By how much it was set back since the retries' times were last changed accordingly.
  private(set) var retryShift = TimeSpan.zero
  /// Whether the store does not know all of that yet.
  private(set) var hasNews = false
  /// What a later start goes by to tell whether the clock is right; nil if there is nothing.
  var trust: String?

  init(now: Instant, setBack: TimeSpan, trust: String?) {
    (latest, self.setBack, self.trust) = (now, setBack, trust)
  }

  /// When one that is behind is right at the earliest.
  var release: Instant? { hold.map { $0 - Self.tolerance } }

  /// Whether what is due may go out, and what is old may go.
  var isTrusted: Bool { hold == nil && leap == nil }

  /// Looks at it when the service starts. One that is behind because it has come back from a leap
  /// that was believed before is right.
  mutating func start(at now: Instant, in transaction: any StoreWriter) throws {
    leaps = BelievedLeaps(note: try transaction.note(Self.leapsNote) ?? "")
    rewind = try transaction.note(Self.rewindNote).flatMap(Rewind.init(note:))
    guard let newest = try transaction.newestRecord(), now < newest - Self.tolerance else { return }
    let step = max(newest - now, setBack)
    let back = leaps.takeBack(by: step, to: now)
    if back.isOfLeap {
      open(back, over: step)
    } else {
      hold = newest
    }
  }

  /// Whether it is still too far behind.
  ///
  /// - Parameter isTrusted: whether somebody says that it is right: it was the one before that ran
  ///   ahead.
  mutating func isHeld(at now: Instant, isTrusted: Bool) -> Bool {
    guard let hold, let release else { return false }
    if isTrusted { latest = hold }
    if now < release, !isTrusted { return true }
    self.hold = nil
    return false
  }

  /// Goes on to the time of a turn.
  ///
  /// - Returns: whether it has come back so far that what was planned has to be planned anew.
  mutating func advance(to now: Instant) -> Bool {
    defer { (latest, setBack) = (now, .zero) }
    guard now < latest - Self.smallStep else { return false }
    let step = max(latest - now, setBack)
    open(leaps.takeBack(by: step, to: now), over: step)
    return true
  }

  /// Remembers that a leap is believed from now on.
  ///
  /// - Parameters:
  ///   - lead: by how much it is ahead of the time that has passed.
  ///   - notification: the last one before.
  mutating func believe(leapTo now: Instant, by lead: TimeSpan, notification: Int64) {
    leaps.add(
      BelievedLeaps.Leap(origin: latest, arrival: now, lead: lead, notification: notification))
    hasNews = true
  }

  /// Saves, with the next commit, the clock that a later start compares its own with. Otherwise
  /// that start would take a leap for the end of this hold.
  mutating func changeTrust(to trust: String?) {
    hasNews = hasNews || trust != self.trust
    self.trust = trust
  }

  /// What a clock that ran ahead has let pass is opened again, and no retry waits for that clock's
  /// time.
  private mutating func open(_ back: Rewind, over step: TimeSpan) {
    retryShift = retryShift + step
    if rewind == nil { rewind = back } else { rewind?.add(back) }
    hasNews = true
  }

  /// Nobody is to be brought back any more.
  mutating func allAreBack() { rewind = nil }

  mutating func retriesAreShifted() { retryShift = .zero }

  mutating func isSaved() { hasNews = false }
}

/// What a restart goes on with.
extension EngineClock {
  /// - Parameter isRewinding: whether anybody is to be brought back yet.
  func saveNews(isRewinding: Bool, in transaction: any StoreWriter) throws {
    guard hasNews else { return }
    try saveTrust(in: transaction)
    try transaction.saveNote(Self.leapsNote, leaps.note)
    try transaction.saveNote(Self.rewindNote, isRewinding ? rewind?.note ?? "" : "")
    if let rewind { try transaction.boundErasures(by: rewind.returned) }
  }

  func saveTrust(in transaction: any StoreWriter) throws {
    if let trust { try transaction.saveNote(Self.trustNote, trust) }
  }

  /// With the last who was brought back.
  func forgetRewind(in transaction: any StoreWriter) throws {
    if rewind != nil { try transaction.saveNote(Self.rewindNote, "") }
  }
}
