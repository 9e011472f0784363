import CivilTime
package import Reminders

/// A row of `usage`.
package enum UsageRow {
  package static func put(_ key: UsageKey, _ count: Int, to writer: inout some RowWriter) {
    writer.put(integer: Int64(key.hour.date.daysSinceEpoch))
    writer.put(text: key.category)
    writer.put(integer: key.channel.map { Int64($0.rawValue) } ?? -1)
    writer.put(integer: Int64(key.hour.hour))
    writer.put(text: key.measure.rawValue)
    writer.put(integer: key.reason.map { Int64($0.rawValue) } ?? -1)
    writer.put(integer: Int64(count))
  }
}
