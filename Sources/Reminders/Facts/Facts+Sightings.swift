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
    guard let seen = mark(Self.seen)?.last.time else { return nil }
    let others = [Self.opened, Self.received].compactMap { mark($0)?.last.time }
    let registered = devices.filter { $0.token != nil }.map(\.stamp.time)
    return (others + registered).reduce(seen, max)
  }
}
