package import CivilTime

extension Event {
  /// Whether the event reports that a device was in use.
  package var isSighting: Bool { symbol == Facts.seen }
}

extension Facts {
  static let seen = Symbol("device.seen")
  static let received = Symbol("notification.received")
  private static let opened = Symbol("notification.opened")

  /// The instant at which a device of the recipient was last in use (rule V17); nil if none was
  /// ever reported as seen, so that apps without such reports see no change. Receipts, openings and
  /// registrations count too.
  package var lastSeen: Instant? {
    mark(Self.seen).map { latestUses.reduce($0.last.time, max) }
  }

  /// Returns ``lastSeen`` without the openings, receipts and registrations since `end`. A
  /// registration or a receipt hides earlier ones.
  private func lastSeen(before end: Instant) -> Instant? {
    let uses = latestUses.filter { $0 < end } + [opens.latest(before: end)].compactMap(\.self)
    return mark(Self.seen).map { uses.reduce($0.last.time, max) }
  }

  /// The span without a device from which a return counts.
  static let absenceMin = TimeSpan.days(1)
  /// The span before `device.seen` in which an opening or a receipt belongs to the same return.
  static let returnSpan = TimeSpan.hours(1)

  /// Returns the instant at which a device was last in use, if a `device.seen` that is not in these
  /// facts yet ends an absence of a day. A report that arrives late is no return: a phone that was
  /// offline uploads several at once.
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
