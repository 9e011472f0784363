package import CivilTime
package import Reminders

extension StoreTransaction {
  /// Adds to the counts of use (rule M2): one row for each key, whoever it was counted of.
  package func add(_ usage: [UsageKey: Int]) throws {
    let upsert = statements.analytics.upsertUsage
    for (key, count) in usage {
      upsert.bind(1, Int64(key.hour.date.daysSinceEpoch))
      upsert.bind(2, key.category)
      upsert.bind(3, key.channel.map { Int64($0.rawValue) } ?? -1)
      upsert.bind(4, Int64(key.hour.hour))
      upsert.bind(5, key.measure.rawValue)
      upsert.bind(6, key.reason.map { Int64($0.rawValue) } ?? -1)
      upsert.bind(7, Int64(count))
      try upsert.run()
    }
  }

  /// The counts of use on local dates within a range, both ends in it, summed up by hour.
  package func usage(from first: LocalDate, through last: LocalDate) throws -> UsageTable {
    let select = statements.analytics.usage
    select.bind(1, Int64(first.daysSinceEpoch))
    select.bind(2, Int64(last.daysSinceEpoch))
    var counts: [UsageKey: Int] = [:]
    try select.rows { columns in
      // What a later version counts, this one leaves alone.
      guard let measure = UsageMeasure(rawValue: columns.text(3)) else { return }
      let key = UsageKey(
        measure, at: LocalHour(date: first, hour: Int(columns.integer(2))),
        category: columns.text(0),
        channel: UInt8(exactly: columns.integer(1)).flatMap(Channel.init),
        reason: UInt8(exactly: columns.integer(4)).flatMap(Gate.init))
      counts[key] = Int(columns.integer(5))
    }
    return UsageTable(counts)
  }
}
