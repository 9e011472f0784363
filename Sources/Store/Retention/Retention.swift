package import CivilTime

/// The time for which the store keeps each kind of data (rule H7).
package struct Retention: Hashable, Sendable {
  package var notifications = TimeSpan.days(400)
  package var events = TimeSpan.days(90)
  package var attempts = TimeSpan.days(30)
  package var analytics = TimeSpan.days(90)
  /// The retention of usage counts: more than two years, so that a month can be compared with the
  /// same month of the previous year.
  package var usage = TimeSpan.days(800)

  package init() {}

  /// The minimum retention that may be configured, because the data of the current day is needed.
  package static let least = TimeSpan.days(1)

  /// The number of unread inbox items that are kept at any age.
  package static let unreadKeptMax = 100
}

/// A kind of data with its own retention. The cases are in the order of pruning.
package enum RetentionPart: String, CaseIterable, Sendable {
  /// The cases have the names of the properties of `Retention`.
  case attempts, events, notifications, analytics, usage
}

extension Retention {
  package func span(of part: RetentionPart) -> TimeSpan {
    switch part {
    case .attempts: attempts
    case .events: events
    case .notifications: notifications
    case .analytics: analytics
    case .usage: usage
    }
  }
}

/// The result of a pruning step.
package struct Pruned: Sendable {
  /// The number of rows removed.
  package var removed = 0
  /// The row after which the next step continues; nil if no other rows are old enough.
  package var cursor: Int64?

  package init(removed: Int = 0, cursor: Int64? = nil) {
    self.removed = removed
    self.cursor = cursor
  }
}

/// Distinguishes old rows, which may be removed, from young ones.
package struct Age: Hashable, Sendable {
  /// Rows created before this instant are old.
  package let end: Instant
  /// Rows created after this instant were written by a clock that was ahead (rule H13).
  package let now: Instant

  package init(before end: Instant, now: Instant) {
    (self.end, self.now) = (end, now)
  }

  package func isOld(_ time: Instant) -> Bool { time < end }

  /// Returns whether a local date has ended in every zone before `end`.
  package func isOld(_ date: LocalDate) -> Bool { isOld(Self.end(of: date)) }

  /// Returns an instant by which the date has ended in every zone.
  private static func end(of date: LocalDate) -> Instant {
    Instant(milliseconds: (Int64(date.daysSinceEpoch) + 2) * 86_400_000)
  }

  /// Returns the number of rows that a pruning step examines: all rows up to the last old one, and
  /// the rows after it until the first young one.
  ///
  /// A row that was written while the clock was ahead is neither old nor young. Such a row stays
  /// until the clock has reached the row's time, but rows after it are examined.
  ///
  /// - Parameter times: the times of rows in the order of writing; nil for a row without a time.
  package func examinedCount(of times: [Instant?]) -> Int {
    let last = times.lastIndex { $0.map(isOld) ?? false } ?? -1
    return times[(last + 1)...].firstIndex { $0.map { $0 <= now } ?? false } ?? times.count
  }
}

/// The rows that would be removed, up to the limit of the query.
package struct Prunable: Hashable, Sendable {
  package var count = 0
  /// The time of the oldest row; nil if there is none.
  package var oldest: Instant?
  /// The row after which the next query continues; nil if no other rows are old enough.
  package var cursor: Int64?

  package init(count: Int = 0, oldest: Instant? = nil, cursor: Int64? = nil) {
    (self.count, self.oldest, self.cursor) = (count, oldest, cursor)
  }

  /// - Parameters:
  ///   - rows: the number of usage counts of a date.
  ///   - date: the date in days since 1970, which is also the cursor.
  package init(usage rows: Int, on date: Int64) {
    self.init(count: rows, oldest: Self.start(of: date), cursor: date)
  }

  /// Returns the start of a date in UTC. The date is in days since 1970.
  package static func start(of date: Int64) -> Instant {
    Instant(milliseconds: date * 86_400_000)
  }

  /// Counts a row with its time.
  package mutating func add(_ time: Instant) {
    count += 1
    oldest = min(oldest ?? time, time)
  }
}
