package import CivilTime
import Outbox
import Reminders

/// What was counted in each of the last minutes, of a few kinds of things: a ring of a day.
struct MinuteRing: Sendable {
  static let length = 1_440

  private let kinds: Int
  /// Which minute since 1970 each slot is of.
  private var minutes = Array(repeating: Int64.min, count: Self.length)
  private var counts: [Int]

  init(kinds: Int) {
    self.kinds = kinds
    counts = Array(repeating: 0, count: kinds * Self.length)
  }

  static func minute(of instant: Instant) -> Int64 { instant.milliseconds / 60_000 }

  /// - Parameter added: of each kind how many.
  mutating func add(_ added: [Int], in minute: Int64) {
    let slot = slot(minute)
    if minutes[slot] != minute {
      minutes[slot] = minute
      for kind in 0..<kinds { counts[slot * kinds + kind] = 0 }
    }
    for kind in 0..<kinds { counts[slot * kinds + kind] += added[kind] }
  }

  /// How many of a kind there were in some minutes.
  func sum(of kind: Int, in range: Range<Int64>) -> Int {
    range.reduce(0) { sum, minute in
      let slot = slot(minute)
      return sum + (minutes[slot] == minute ? counts[slot * kinds + kind] : 0)
    }
  }

  private func slot(_ minute: Int64) -> Int {
    let rest = Int(minute % Int64(Self.length))
    return rest < 0 ? rest + Self.length : rest
  }
}

/// What the service and each sink have done, minute by minute, for a day; only since the start.
struct ActivityLog: Sendable {
  private var service = MinuteRing(kinds: Activity.Kind.allCases.count)
  private var sinks: [String: MinuteRing] = [:]
  /// What each sink's counters had come to.
  private var known: [String: LaneCounters] = [:]

  /// - Parameter counters: what one turn has counted.
  mutating func add(_ counters: EngineCounters, at now: Instant) {
    var added = Array(repeating: 0, count: Activity.Kind.allCases.count)
    added[Activity.Kind.events.place] = counters.accepted
    for (occurrence, count) in counters.occurrences.counts {
      added[Activity.Kind(occurrence.outcome).place] += count
    }
    let deliveries = counters.deliveries.counts.values.reduce(0, +)
    added[Activity.Kind.delivered.place] += deliveries
    guard added.contains(where: { $0 > 0 }) else { return }
    service.add(added, in: MinuteRing.minute(of: now))
  }

  /// - Parameter answers: what a sink's counters have come to.
  mutating func note(_ answers: LaneCounters, of sink: String, at now: Instant) {
    let before = known[sink] ?? LaneCounters()
    guard !answers.hasSaid(as: before) else { return }
    known[sink] = answers
    // A sink that takes the place of another of its name begins anew.
    let added = zip(answers.activity, before.activity).map { max(0, $0 - $1) }
    sinks[sink, default: MinuteRing(kinds: Activity.SinkKind.allCases.count)]
      .add(added, in: MinuteRing.minute(of: now))
  }

  /// By minute, the oldest first, of the last hour.
  func lastHour(of sink: String, _ kind: Activity.SinkKind, now: Instant) -> [Int] {
    let last = MinuteRing.minute(of: now)
    return (last - 59...last).map { sinks[sink]?.sum(of: kind.place, in: $0..<$0 + 1) ?? 0 }
  }

  func activity(_ question: ActivityQuestion, now: Instant) -> Activity {
    let length = Int64(max(1, question.part.milliseconds / 60_000))
    let count = max(1, question.span.milliseconds / 60_000 / length)
    let end = MinuteRing.minute(of: now) + 1
    let parts = (0..<count).map { part in
      let start = end - (count - part) * length
      return start..<start + length
    }
    var activity = Activity(
      now: now, first: Instant(milliseconds: (parts.first?.lowerBound ?? end) * 60_000),
      part: question.part)
    for kind in Activity.Kind.allCases {
      activity.service[kind] = parts.map { service.sum(of: kind.place, in: $0) }
    }
    for (name, ring) in sinks {
      activity.sinks[name] = Activity.SinkKind.allCases.map { kind in
        parts.map { ring.sum(of: kind.place, in: $0) }
      }
    }
    return activity
  }
}

/// Of which time it is asked what was done in it.
package struct ActivityQuestion: Sendable {
  package var span: TimeSpan
  /// How long each part of it is that is counted by itself, in whole minutes.
  package var part: TimeSpan

  package init(span: TimeSpan, part: TimeSpan) {
    (self.span, self.part) = (span, part)
  }
}

/// What the service and its sinks have done of late, in parts of the same length, the oldest first;
/// what was before the start of the service is not known any more.
package struct Activity: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Taken in.
    case events
    /// Let out by the gates.
    case sent
    /// Taken by a sink, or in the inbox; on each channel.
    case delivered
    case bundled, dropped, held

    init(_ outcome: OccurrenceOutcome) {
      self =
        switch outcome {
        case .sent: .sent
        case .delivered: .delivered
        case .bundled: .bundled
        case .dropped: .dropped
        case .held: .held
        }
    }

    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  package enum SinkKind: String, CaseIterable, Sendable {
    case delivered, retried, rejected, outages

    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  package var now: Instant
  /// When the first part begins.
  package var first: Instant
  package var part: TimeSpan
  package var service: [Kind: [Int]] = [:]
  /// By the sinks' names, a list for each of their kinds.
  package var sinks: [String: [[Int]]] = [:]

  package init(now: Instant, first: Instant, part: TimeSpan) {
    (self.now, self.first, self.part) = (now, first, part)
  }
}

extension LaneCounters {
  /// In the order of `Activity.SinkKind`.
  fileprivate var activity: [Int] { [delivered, retried, rejected, outages] }

  fileprivate func hasSaid(as other: LaneCounters) -> Bool {
    delivered == other.delivered && retried == other.retried && rejected == other.rejected
      && outages == other.outages
  }
}
