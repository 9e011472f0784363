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
