import CivilTime

/// A local date from which a reminder counts dates. An event names it as a date, which is the same
/// calendar day in every zone (rule G20), or by an instant.
struct AnnouncedDate {
  let date: LocalDate
  /// The beginning of the date, or the named instant. No reminder with `past` is planned before it.
  let start: Instant
  /// The end of the date, or the named instant. No reminder with `before` is planned after it.
  let end: Instant
  /// The part of an occurrence's key that differs if the event names another instant or date. It
  /// does not depend on the zone, so that no reminder is repeated in another zone.
  let identity: UInt64

  init(_ instant: Instant, in zone: Zone) {
    date = zone.date(at: instant)
    (start, end) = (instant, instant)
    identity = UInt64(bitPattern: instant.milliseconds)
  }

  init(_ date: LocalDate, in zone: Zone) {
    self.date = date
    start = zone.instant(of: date, at: .midnight)
    end = zone.instant(of: zone.firstDate(from: date + 1), at: .midnight)
    identity = UInt64(bitPattern: Int64(date.daysSinceEpoch))
  }
}

extension Item {
  /// Returns the local date of a field with an instant or a date; nil if the item has neither.
  func announcedDate(_ field: Symbol, in zone: Zone) -> AnnouncedDate? {
    instant(field).map { AnnouncedDate($0, in: zone) }
      ?? date(field).map { AnnouncedDate($0, in: zone) }
  }
}
