import CivilTime
import GRDB
import Reminders
import Store

extension StoreTransaction {
  /// Saves the analytics events of a change to a recipient (rule M1), in the transaction of that
  /// change.
  func append(_ events: [AnalyticsEvent], of recipient: UInt32) throws {
    let insert = statements.analytics.insertEvent
    for event in events {
      insert.bind(1, Int64(recipient))
      insert.bind(2, event.time.milliseconds)
      insert.bind(3, event.name)
      insert.bind(4, event.parameters)
      try insert.run()
    }
  }

  /// Returns the analytics events after the given number, in the order of writing.
  ///
  /// - Parameter recipient: the recipient of the events; nil for all recipients.
  func analytics(
    of recipient: UInt32?, after number: Int64, limit: Int
  ) throws -> [AnalyticsRecord] {
    let select =
      recipient == nil ? statements.analytics.events : statements.analytics.eventsOfRecipient
    select.bind(1, number)
    select.bind(2, Int64(limit))
    if let recipient { select.bind(3, Int64(recipient)) }
    var records: [AnalyticsRecord] = []
    try select.rows { columns in
      let event = AnalyticsEvent(
        time: Instant(milliseconds: columns.integer(1)), name: columns.text(2),
        parameters: Array(columns.bytes(3)))
      let name = try RecipientRow.name(columns, from: 4)
      records.append(
        AnalyticsRecord(number: columns.integer(0), recipient: name, event: event))
    }
    return records
  }

  func analyticsBacklog(
    of part: AnalyticsPart, after number: Int64, limit: Int
  ) throws -> AnalyticsBacklog {
    let select =
      switch part {
      case .all: statements.analytics.backlog
      case .outcomes: statements.analytics.outcomeBacklog
      case .others: statements.analytics.otherBacklog
      }
    select.bind(1, number)
    select.bind(2, Int64(limit))
    var backlog = AnalyticsBacklog()
    try select.rows { columns in
      let oldest = columns.optionalInteger(1).map { Instant(milliseconds: $0) }
      backlog = AnalyticsBacklog(
        count: Int(columns.integer(0)), oldest: oldest, last: columns.optionalInteger(2) ?? 0)
    }
    return backlog
  }
}

extension StoreTransaction {
  /// Adds to the usage counts (rule M2). Each key has one row for all recipients together.
  func add(_ usage: [UsageKey: Int]) throws {
    let upsert = statements.analytics.upsertUsage
    for (key, count) in usage {
      var binder = RowBinder(upsert)
      UsageRow.put(key, count, to: &binder)
      try upsert.run()
    }
  }

  /// Returns the usage counts of the local dates from `first` to `last`, inclusive. For each hour
  /// of the day, they are summed over the dates.
  func usage(from first: LocalDate, through last: LocalDate) throws -> UsageTable {
    let select = statements.analytics.usage
    select.bind(1, Int64(first.daysSinceEpoch))
    select.bind(2, Int64(last.daysSinceEpoch))
    var counts: [UsageKey: Int] = [:]
    try select.rows { columns in
      // Measures of a later version are ignored.
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
