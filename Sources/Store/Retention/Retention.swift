package import CivilTime

/// For how long the store keeps what (rule H7).
package struct Retention: Hashable, Sendable {
  package var notifications = TimeSpan.days(400)
  package var events = TimeSpan.days(90)
  package var attempts = TimeSpan.days(30)
  package var analytics = TimeSpan.days(90)
  /// Two years and some: a month can be compared with the same month of the year before.
  package var usage = TimeSpan.days(800)

  package init() {}

  /// The shortest that may be asked for: what happened today is needed.
  package static let least = TimeSpan.days(1)

  /// How many unread items of an inbox stay, however old they are.
  package static let unreadKept = 100
}

/// What is removed when its time is over, in the order in which that is done.
package enum KeptPart: String, CaseIterable, Sendable {
  case attempts, events, notifications, analytics, usage
}

extension Retention {
  package func span(of part: KeptPart) -> TimeSpan {
    switch part {
    case .attempts: attempts
    case .events: events
    case .notifications: notifications
    case .analytics: analytics
    case .usage: usage
    }
  }
}

/// What a step has come to.
package struct Pruned: Sendable {
  /// How many rows were removed.
  package var removed = 0
  /// The row to go on behind; nil when nothing more is old enough.
  package var place: Int64?

  package init(removed: Int = 0, place: Int64? = nil) {
    self.removed = removed
    self.place = place
  }
}

/// What is old and what is young, where rows go by the order in which they were written.
package struct Age: Hashable, Sendable {
  /// What is of before is old.
  package let end: Instant
  /// What is of later was written by a clock that ran ahead (rule T6).
  package let now: Instant

  package init(before end: Instant, now: Instant) {
    (self.end, self.now) = (end, now)
  }

  package func isOld(_ time: Instant) -> Bool { time < end }

  /// Whether a local date has ended everywhere before the limit.
  package func isOld(_ date: LocalDate) -> Bool { isOld(Self.end(of: date)) }

  /// No earlier than the end of the date in any zone.
  private static func end(of date: LocalDate) -> Instant {
    Instant(milliseconds: (Int64(date.daysSinceEpoch) + 2) * 86_400_000)
  }

  /// How many rows there are before all is young.
  ///
  /// What a clock that ran ahead has written stays until its own time has come, and keeps nothing
  /// that was written after it from going.
  ///
  /// - Parameter times: of rows in the order in which they were written; nil where there is none.
  package func reach(of times: [Instant?]) -> Int {
    let last = times.lastIndex { $0.map(isOld) ?? false } ?? -1
    return times[(last + 1)...].firstIndex { $0.map { $0 <= now } ?? false } ?? times.count
  }
}

/// What would be removed, as far as was looked.
package struct Prunable: Hashable, Sendable {
  package var count = 0
  /// Of the oldest.
  package var oldest: Instant?
  /// The row to go on behind; nil when nothing more is old enough.
  package var place: Int64?

  package init(count: Int = 0, oldest: Instant? = nil, place: Int64? = nil) {
    (self.count, self.oldest, self.place) = (count, oldest, place)
  }

  /// - Parameters:
  ///   - rows: the number of usage counts of a date.
  ///   - date: in days since 1970; the place to go on behind.
  package init(usage rows: Int, on date: Int64) {
    self.init(count: rows, oldest: Self.start(of: date), place: date)
  }

  /// The start of a date in UTC; the date is in days since 1970.
  package static func start(of date: Int64) -> Instant {
    Instant(milliseconds: date * 86_400_000)
  }

  package mutating func add(_ time: Instant) {
    count += 1
    oldest = min(oldest ?? time, time)
  }
}
