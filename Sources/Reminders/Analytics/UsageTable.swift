package import CivilTime

/// How notifications were used over some days (rule M2), ready to be shown.
package struct UsageTable: Sendable {
  /// The measures of one category on one channel at one hour of the recipients' days.
  package struct Row: Hashable, Sendable {
    package let category: String
    package let channel: Channel
    package let hour: Int
    package internal(set) var counts: [UsageMeasure: Int] = [:]
    /// What gates dropped, by gate; together as many as `counts` says.
    package internal(set) var drops: [Gate: Int] = [:]
  }

  /// By category, channel and hour, of which each has at most one.
  package let rows: [Row]
  /// How often the switches became those of each preset.
  package let presets: [String: Int]

  package init(_ counts: [UsageKey: Int]) {
    struct Place: Hashable {
      var category: String
      var channel: Channel
      var hour: Int
    }
    var rows: [Place: Row] = [:]
    var presets: [String: Int] = [:]
    for (key, count) in counts {
      guard let channel = key.channel else {
        presets[key.category, default: 0] += count
        continue
      }
      let place = Place(category: key.category, channel: channel, hour: key.hour.hour)
      var row =
        rows[place] ?? Row(category: key.category, channel: channel, hour: key.hour.hour)
      row.counts[key.measure, default: 0] += count
      if let reason = key.reason { row.drops[reason, default: 0] += count }
      rows[place] = row
    }
    self.presets = presets
    self.rows = rows.values.sorted {
      ($0.category, $0.channel.rawValue, $0.hour) < ($1.category, $1.channel.rawValue, $1.hour)
    }
  }
}

/// What is counted of the use of notifications (rule M2). The names are stored: never rename.
package enum UsageMeasure: String, CaseIterable, Sendable {
  /// An occurrence's turn had come; it is counted at its planned hour.
  case planned
  /// The gates have let it out. It is on its way until it is delivered or has failed, and counts
  /// again where it is sent again.
  case sent
  /// A sink has taken it, or it is in the inbox (rule D6).
  case delivered
  /// No sink of the channel took it, and none is asked any more.
  case failed
  /// It went out as a part of a digest.
  case bundled
  /// A gate has held it for the first time.
  case held
  /// A gate has dropped it.
  case dropped
  case opened
  case dismissed
  /// The person has switched a category off on a channel.
  case switchedOff = "switched_off"
  /// The switches became those of a preset, whose name stands in the place of the category.
  case preset
}

/// An hour on a recipient's clock.
package struct LocalHour: Hashable, Sendable {
  package let date: LocalDate
  /// 0...23.
  package let hour: Int

  package init(date: LocalDate, hour: Int) {
    self.date = date
    self.hour = hour
  }

  package init(_ instant: Instant, in zone: Zone) {
    let local = zone.local(at: instant)
    self.init(date: local.date, hour: local.secondOfDay / 3_600)
  }
}

/// What a count of use is a count of. It is nobody's in particular.
package struct UsageKey: Hashable, Sendable {
  package var measure: UsageMeasure
  package var hour: LocalHour
  package var category: String
  /// Nil for presets.
  package var channel: Channel?
  /// The gate that dropped it.
  package var reason: Gate?

  package init(
    _ measure: UsageMeasure, at hour: LocalHour, category: String, channel: Channel?,
    reason: Gate? = nil
  ) {
    self.measure = measure
    self.hour = hour
    self.category = category
    self.channel = channel
    self.reason = reason
  }
}

/// How many values lie at or below each of some bounds, and what they add up to.
package struct Histogram: Hashable, Sendable {
  /// Ascending; beyond the last one there is one without end.
  package let bounds: [Double]
  /// For each bound how many values it is the lowest for, and last how many lie beyond them all.
  package private(set) var counts: [Int]
  package private(set) var sum = 0.0

  package init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  package var count: Int { counts.reduce(0, +) }

  /// - Complexity: O(bounds).
  package mutating func observe(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.endIndex] += 1
    sum += value
  }

  /// Adds what another has counted between the same bounds.
  package mutating func add(_ other: Histogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    sum += other.sum
  }
}
