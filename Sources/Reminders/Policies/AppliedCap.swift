import CivilTime

/// A cap of the operator that concerns an occurrence, with the deliveries that count towards it.
package struct AppliedCap: Hashable, Sendable {
  let cap: PolicyCap
  /// The instants of the counted deliveries, ascending.
  var countedDeliveries: [Instant] = []

  /// A limit that has no capacity at an instant.
  struct ReachedLimit: Hashable {
    var limit: PolicyLimit
    /// The first date with capacity, if nothing else is sent; nil for an interval.
    var date: LocalDate?
    /// The first instant with capacity; nil for a limit of dates, which ends at the start of the
    /// recipient's day on `date`.
    var instant: Instant?
  }

  /// Returns the limits of the cap at an instant, each with its counted deliveries.
  func limits(at instant: Instant, in zone: Zone) -> [PolicyLimit] {
    let date = zone.date(at: instant)
    var limits: [PolicyLimit] = []
    if let number = cap.perDay {
      let sent = dates(last: 1, until: date, in: zone).count
      limits.append(PolicyLimit(categories: cap.categories, .perDay(number, sent: sent, on: date)))
    }
    if let number = cap.perWeek {
      let sent = dates(last: PolicyCap.datesOfWeek, until: date, in: zone).count
      let start = date - (PolicyCap.datesOfWeek - 1)
      limits.append(
        PolicyLimit(categories: cap.categories, .perWeek(number, sent: sent, since: start)))
    }
    if let interval = cap.minimumInterval {
      limits.append(
        PolicyLimit(categories: cap.categories, .interval(interval, last: countedDeliveries.last)))
    }
    return limits
  }

  /// Returns the limits without capacity at an instant.
  func reached(at instant: Instant, in zone: Zone) -> [ReachedLimit] {
    limits(at: instant, in: zone).compactMap { limit in
      switch limit.measure {
      case .perDay(let number, let sent, let date):
        guard sent >= number else { return nil }
        return ReachedLimit(limit: limit, date: date + 1)
      case .perWeek(let number, let sent, _):
        guard sent >= number else { return nil }
        let dates = self.dates(
          last: PolicyCap.datesOfWeek, until: zone.date(at: instant), in: zone)
        return ReachedLimit(limit: limit, date: dates[sent - number] + PolicyCap.datesOfWeek)
      case .interval(let interval, let last):
        guard let last, instant < last + interval else { return nil }
        return ReachedLimit(limit: limit, instant: last + interval)
      }
    }
  }

  /// The first instant at which the interval allows another delivery; nil if no interval has begun.
  var intervalEnd: Instant? {
    guard let interval = cap.minimumInterval else { return nil }
    return countedDeliveries.last.map { $0 + interval }
  }

  /// Returns whether a date, or the seven dates that end with it, has no capacity.
  func isFull(on date: LocalDate, in zone: Zone) -> Bool {
    func isReached(_ number: Int?, _ count: Int) -> Bool {
      guard let number, countedDeliveries.count >= number else { return false }
      return dates(last: count, until: date, in: zone).count >= number
    }
    return isReached(cap.perDay, 1) || isReached(cap.perWeek, PolicyCap.datesOfWeek)
  }

  /// Returns the local date of each delivery on the `count` dates that end with a date, ascending.
  private func dates(last count: Int, until date: LocalDate, in zone: Zone) -> [LocalDate] {
    // The dates are sorted, because clocks that are set back over midnight give a later instant an
    // earlier date.
    countedDeliveries.map { zone.date(at: $0) }.filter { $0 > date - count && $0 <= date }.sorted()
  }
}
