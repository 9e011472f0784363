import CivilTime
import Outbox
import Reminders

/// Counts of several kinds for each minute, in a ring of one day.
struct MinuteRing: Sendable {
  /// The number of slots, one for each minute of a day.
  static let length = 1_440

  private let kindCount: Int
  /// The minute since 1970 of each slot.
  private var minutes = Array(repeating: Int64.min, count: Self.length)
  /// The counts of all kinds in the first slot, then in the second, and so on.
  private var counts: [Int]

  init(kindCount: Int) {
    self.kindCount = kindCount
    counts = Array(repeating: 0, count: kindCount * Self.length)
  }

  static func minute(of instant: Instant) -> Int64 { instant.milliseconds / 60_000 }

  /// Adds to the counts of a minute.
  ///
  /// - Parameter increments: the number to add for each kind.
  mutating func add(_ increments: [Int], in minute: Int64) {
    let slot = slot(minute)
    if minutes[slot] != minute {
      minutes[slot] = minute
      for kind in 0..<kindCount { counts[slot * kindCount + kind] = 0 }
    }
    for kind in 0..<kindCount { counts[slot * kindCount + kind] += increments[kind] }
  }

  /// Returns the sum of one kind over a range of minutes.
  func sum(of kind: Int, in range: Range<Int64>) -> Int {
    range.reduce(0) { sum, minute in
      let slot = slot(minute)
      return sum + (minutes[slot] == minute ? counts[slot * kindCount + kind] : 0)
    }
  }

  private func slot(_ minute: Int64) -> Int {
    let remainder = Int(minute % Int64(Self.length))
    return remainder < 0 ? remainder + Self.length : remainder
  }
}

/// The activity of the service and of each sink by minute, for the last day or since the start.
struct ActivityLog: Sendable {
  private var service = MinuteRing(kindCount: Activity.Kind.allCases.count)
  private var sinks: [String: MinuteRing] = [:]
  /// The latest counters of each sink, by the sink's name.
  private var latest: [String: LaneCounters] = [:]

  /// Adds the activity of an engine cycle.
  ///
  /// - Parameter counters: the counts of one cycle.
  mutating func add(_ counters: EngineCounters, at now: Instant) {
    var increments = Array(repeating: 0, count: Activity.Kind.allCases.count)
    increments[Activity.Kind.events.index] = counters.accepted
    for (occurrence, count) in counters.occurrences.counts {
      increments[Activity.Kind(occurrence.outcome).index] += count
    }
    let deliveries = counters.deliveries.counts.values.reduce(0, +)
    increments[Activity.Kind.delivered.index] += deliveries
    guard increments.contains(where: { $0 > 0 }) else { return }
    service.add(increments, in: MinuteRing.minute(of: now))
  }

  /// Adds the activity of a sink since the previous call for it.
  ///
  /// - Parameter answers: the sink's counters since it was created.
  mutating func note(_ answers: LaneCounters, of sink: String, at now: Instant) {
    let previous = latest[sink] ?? LaneCounters()
    guard !answers.hasSameActivity(as: previous) else { return }
    latest[sink] = answers
    let changes = zip(answers.activity, previous.activity).map { $0 - $1 }
    // A new sink of the same name begins at zero.
    let increments = changes.contains { $0 < 0 } ? answers.activity : changes
    sinks[sink, default: MinuteRing(kindCount: Activity.SinkKind.allCases.count)]
      .add(increments, in: MinuteRing.minute(of: now))
  }

  /// Returns a sink's counts of one kind for each minute of the last hour, oldest first.
  func lastHour(of sink: String, _ kind: Activity.SinkKind, now: Instant) -> [Int] {
    let last = MinuteRing.minute(of: now)
    return (last - 59...last).map { sinks[sink]?.sum(of: kind.index, in: $0..<$0 + 1) ?? 0 }
  }

  /// Returns the activity that a query selects, in parts that end with the current minute.
  func activity(_ query: ActivityQuery, now: Instant) -> Activity {
    let length = Int64(max(1, query.part.milliseconds / 60_000))
    let count = max(1, query.span.milliseconds / 60_000 / length)
    let end = MinuteRing.minute(of: now) + 1
    let intervals = (0..<count).map { index in
      let start = end - (count - index) * length
      return start..<start + length
    }
    var activity = Activity(
      now: now, first: Instant(milliseconds: (intervals.first?.lowerBound ?? end) * 60_000),
      part: query.part)
    for kind in Activity.Kind.allCases {
      activity.service[kind] = intervals.map { service.sum(of: kind.index, in: $0) }
    }
    for (name, ring) in sinks {
      activity.sinks[name] = Activity.SinkKind.allCases.map { kind in
        intervals.map { ring.sum(of: kind.index, in: $0) }
      }
    }
    return activity
  }
}

extension LaneCounters {
  /// The counts in the order of `Activity.SinkKind`.
  fileprivate var activity: [Int] { [delivered, retried, rejected, outages] }

  fileprivate func hasSameActivity(as other: LaneCounters) -> Bool {
    delivered == other.delivered && retried == other.retried && rejected == other.rejected
      && outages == other.outages
  }
}
