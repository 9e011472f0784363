import CivilTime

/// Decides when the nightly audit begins: at 03:00 in the default zone (rule L7).
struct AuditSchedule {
  /// The audited share of all recipients; nil if there is no nightly audit.
  let share: Double?
  /// When the next audit begins; nil before the first check, and without a share.
  private(set) var wake: Instant?
  private var lastCheck: Instant?

  private static let timeOfDay = LocalTime(hour: 3, minute: 0)

  init(share: Double?) { self.share = share }

  /// Returns the audit that begins now, nil if none does, and updates `wake`.
  mutating func query(at now: Instant, in zone: Zone) -> AuditQuery? {
    guard let share, let time = Self.timeOfDay else { return nil }
    let isSetBack = lastCheck.map { now < $0 } ?? true
    let isDue = !isSetBack && wake.map { $0 <= now } ?? false
    if isSetBack || isDue {
      let date = zone.date(at: now)
      let today = zone.instant(of: date, at: time)
      wake = today > now ? today : zone.instant(of: date + 1, at: time)
    }
    lastCheck = now
    return isDue ? AuditQuery(.share(share, of: zone.date(at: now)), since: .ago(.days(1))) : nil
  }
}
