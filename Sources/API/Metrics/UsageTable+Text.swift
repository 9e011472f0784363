import Reminders

extension UsageTable {
  /// Writes the counts of use as families.
  func write(to writer: inout MetricsWriter) {
    writer.begin(
      "chimed_usage_total", .counter,
      "What came of notifications, by category, channel and hour of the recipients' days.")
    for row in rows {
      for measure in UsageMeasure.allCases {
        guard let count = row.counts[measure], measure != .dropped else { continue }
        writer.sample(row.labels + [("measure", measure.rawValue)], count)
      }
    }
    writer.begin(
      "chimed_usage_dropped_total", .counter,
      "Notifications that a gate dropped, by category, channel and hour of the recipients' days.")
    for row in rows {
      for gate in Gate.allCases {
        guard let count = row.drops[gate] else { continue }
        writer.sample(row.labels + [("gate", gate.reason)], count)
      }
    }
    writer.begin(
      "chimed_preset_uses_total", .counter, "How often switches became those of a preset.")
    for (name, count) in presets.sorted(by: { $0.key < $1.key }) {
      writer.sample([("preset", name)], count)
    }
  }
}

extension UsageTable.Row {
  fileprivate var labels: MetricsWriter.Labels {
    [("category", category), ("channel", channel.name), ("hour", "\(hour)")]
  }
}
