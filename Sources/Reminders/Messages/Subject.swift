package import CivilTime

/// The subject of an occurrence's text. Distances are computed later, for the instant of sending,
/// so the subject does not depend on that instant.
package struct Subject: Hashable, Sendable {
  /// The number for placeholders such as `{{days}}`; nil if the occurrence has none.
  package var count: Count?
  /// The instant to which `{{until}}` and `{{since}}` give the distance.
  package var instant: Instant?
  /// The fields of the event.
  package var details: Details?

  /// Returns whether the subject's instant has passed. Without an instant, the date of `count`
  /// decides.
  func hasPassed(at now: Instant, in zone: Zone) -> Bool {
    if let instant { return instant < now }
    switch count {
    case .dates(let date), .weeks(let date): return date < zone.date(at: now)
    case .fixed, .spans, nil: return false
    }
  }

  /// Returns the first instant at which `hasPassed` is true; nil if there is none.
  func passing(in zone: Zone) -> Instant? {
    if let instant { return instant + .milliseconds(1) }
    switch count {
    case .dates(let date), .weeks(let date): return zone.instant(of: date + 1, at: .midnight)
    case .fixed, .spans, nil: return nil
    }
  }

  package init(count: Count? = nil, instant: Instant? = nil, details: Details? = nil) {
    (self.count, self.instant, self.details) = (count, instant, details)
  }
}

/// The number that a text contains: a fixed number, or a distance in time at the instant of
/// sending.
package enum Count: Hashable, Sendable {
  case fixed(Int64)
  /// The number of local dates between the date of sending and this date.
  case dates(LocalDate)
  /// The number of whole weeks between the date of sending and this date.
  case weeks(LocalDate)
  /// The number of whole spans, such as hours, between the instant of sending and this instant.
  case spans(Instant, TimeSpan)

  /// - Parameters:
  ///   - now: the instant of sending.
  ///   - zone: the zone of the dates.
  package func number(at now: Instant, in zone: Zone) -> Int64 {
    switch self {
    case .fixed(let number): number
    case .dates(let date): Int64(abs(date - zone.date(at: now)))
    case .weeks(let date): Int64(abs(date - zone.date(at: now)) / 7)
    case .spans(let instant, let unit):
      Int64(abs(RelativeTime.minutes(from: now, to: instant)))
        / (unit.milliseconds / TimeSpan.minutes(1).milliseconds)
    }
  }
}

/// The instant at which a text is sent, and the instant of its subject.
package struct SendingTime: Sendable {
  /// Whether the instant or the date of the subject has passed.
  var hasPassed = false
  /// The instant of sending.
  package var now: Instant
  package var zone: Zone
  /// The instant to which `{{until}}` and `{{since}}` give the distance; nil if there is none.
  package var subject: Instant?

  package init(now: Instant, zone: Zone, subject: Instant? = nil) {
    (self.now, self.zone, self.subject) = (now, zone, subject)
  }
}
