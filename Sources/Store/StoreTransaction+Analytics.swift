package import CivilTime
package import Reminders

extension StoreTransaction {
  /// Keeps what a change has told (rule M1), with the change itself.
  package func append(_ events: [AnalyticsEvent], of recipient: UInt32) throws {
    let insert = statements.analytics.insertEvent
    for event in events {
      insert.bind(1, Int64(recipient))
      insert.bind(2, event.time.milliseconds)
      insert.bind(3, event.name)
      insert.bind(4, event.parameters)
      try insert.run()
    }
  }

  /// The analytics events written after one, in the order of writing: what a sink that has come so
  /// far gets next.
  ///
  /// - Parameter recipient: whose; nil for everyone's.
  package func analytics(
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
}
