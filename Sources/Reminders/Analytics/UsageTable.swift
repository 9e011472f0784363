package import CivilTime

/// The use of notifications over some days (rule M2), grouped for display.
package struct UsageTable: Sendable {
  /// The measures of one category on one channel at one hour of the recipients' days.
  package struct Row: Hashable, Sendable {
    package let category: String
    package let channel: Channel
    package let hour: Int
    package internal(set) var counts: [UsageMeasure: Int] = [:]
    /// The dropped occurrences by gate; their sum is the count of `dropped`.
    package internal(set) var drops: [Gate: Int] = [:]
  }

  /// The rows, sorted by category, channel and hour, with one row for each combination.
  package let rows: [Row]
  /// For each preset, how often a change made a recipient's switches match it.
  package let presets: [String: Int]

  package init(_ counts: [UsageKey: Int]) {
    struct RowKey: Hashable {
      var category: String
      var channel: Channel
      var hour: Int
    }
    var rows: [RowKey: Row] = [:]
    var presets: [String: Int] = [:]
    for (key, count) in counts {
      guard let channel = key.channel else {
        presets[key.category, default: 0] += count
        continue
      }
      let rowKey = RowKey(category: key.category, channel: channel, hour: key.hour.hour)
      var row =
        rows[rowKey] ?? Row(category: key.category, channel: channel, hour: key.hour.hour)
      row.counts[key.measure, default: 0] += count
      if let reason = key.reason { row.drops[reason, default: 0] += count }
      rows[rowKey] = row
    }
    self.presets = presets
    self.rows = rows.values.sorted {
      ($0.category, $0.channel.rawValue, $0.hour) < ($1.category, $1.channel.rawValue, $1.hour)
    }
  }
}

/// A measure of the use of notifications (rule M2). The names are stored: never rename them.
package enum UsageMeasure: String, CaseIterable, Sendable {
  /// An occurrence was due. It counts at its planned hour.
  case planned
  /// The gates let an occurrence pass. `delivered` or `failed` counts the result on each channel.
  /// An occurrence that is sent again counts again.
  case sent
  /// A sink accepted a notification, or the notification is in the inbox (rule D6).
  case delivered
  /// No sink of the channel accepted a notification, and no attempt is left. Or a sink's service
  /// accepted the notification, and reported later that the delivery failed.
  case failed
  /// A device or a mailbox has a notification (rule D11).
  case received
  /// The address of a notification does not exist or accepts nothing.
  case bounced
  /// The recipient reported a notification as unwanted.
  case complained
  /// An occurrence was sent as part of a digest.
  case bundled
  /// A gate held an occurrence for the first time.
  case held
  /// A gate dropped an occurrence, or a delivery before an attempt.
  case dropped
  /// The recipient opened a notification.
  case opened
  /// The recipient dismissed a notification.
  case dismissed
  /// The recipient switched a category off on a channel.
  case switchedOff = "switched_off"
  /// A change made the switches match a preset. The name of the preset replaces that of the
  /// category.
  case preset
}

/// An hour of a recipient's local day.
package struct LocalHour: Hashable, Sendable {
  package let date: LocalDate
  /// The hour in 0...23.
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

/// The key of a count of use. It identifies no recipient.
package struct UsageKey: Hashable, Sendable {
  package var measure: UsageMeasure
  /// The local hour of the decision or action; for `planned`, the planned hour.
  package var hour: LocalHour
  /// The name of the category; for `preset`, the name of the preset.
  package var category: String
  /// The channel; nil for presets.
  package var channel: Channel?
  /// The gate that dropped the occurrence; nil for other measures.
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

/// A histogram of values with their sum.
package struct Histogram: Hashable, Sendable {
  /// The upper bounds of the buckets, ascending. One more bucket has no bound.
  package let bounds: [Double]
  /// The number of values in each bucket. A bucket holds the values above the previous bucket's
  /// bound, up to its own bound. The last bucket holds values above all bounds.
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

  /// Adds the counts of a histogram with the same bounds.
  package mutating func add(_ other: Histogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    sum += other.sum
  }
}
