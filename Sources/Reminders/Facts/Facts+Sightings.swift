package import CivilTime

extension Event {
  /// Whether the event reports that a device was in use.
  package var isSighting: Bool { symbol == Facts.seen }
}

extension Facts {
  static let seen = Symbol("device.seen")
  static let received = Symbol("notification.received")
  private static let opened = Symbol("notification.opened")

  /// The instant at which a device of the recipient was last in use (rule V17). Receipts, openings
  /// and registrations count too. The value is nil if no `device.seen` was ever reported, so that
  /// nothing changes for apps without such reports.
  package var lastSeen: Instant? {
    mark(Self.seen).map { latestUses.reduce($0.last.time, max) }
  }

  /// Returns ``lastSeen`` without the openings, receipts and registrations since `end`. Facts keep
  /// only the latest receipt, and the latest registration of each device, so one since `end` hides
  /// earlier ones.
  private func lastSeen(before end: Instant) -> Instant? {
    let uses = latestUses.filter { $0 < end } + [opens.latest(before: end)].compactMap(\.self)
    return mark(Self.seen).map { uses.reduce($0.last.time, max) }
  }

  /// The minimum time without a device after which a device counts as returned.
  static let absenceMin = TimeSpan.days(1)
  /// The span before `device.seen` in which an opening or a receipt belongs to the same return.
  static let returnSpan = TimeSpan.hours(1)

  /// Returns the instant at which a device was last in use before an event that ends an absence of
  /// more than a day; nil for other events. The event is a `device.seen` that these facts do not
  /// contain yet. A report that arrives late is no return: a phone that was offline uploads several
  /// at once.
  package func absence(endedBy event: Event, now: Instant) -> Instant? {
    guard event.isSighting, now - event.time <= Self.returnSpan,
      let last = lastSeen(before: event.time - Self.returnSpan)
    else { return nil }
    return event.time - last > Self.absenceMin ? last : nil
  }

  /// The latest opening, the latest receipt, and the registration of each device.
  private var latestUses: [Instant] {
    [Self.opened, Self.received].compactMap { mark($0)?.last.time }
      + devices.filter { $0.token != nil }.map(\.stamp.time)
  }
}
