import CivilTime
import Engine
import JSON
import Reminders

struct AnalyticsPagePayload: Payload {
  typealias Value = AnalyticsPage
  static let shape = PayloadShape(Self(), as: .analyticsPage)

  let events = Member("events", .list(.payload(AnalyticsEventPayload.self))) { $0.records }
  let next = Member("next", orNull: .text) { page in
    page.hasMore ? page.records.last.map { "\($0.number)" } : nil
  }
}

struct AnalyticsEventPayload: Payload {
  typealias Value = AnalyticsRecord
  static let shape = PayloadShape(Self())

  let id = Member("id", .text) { "\($0.number)" }
  let recipient = Member("recipient", .recipient) { $0.recipient }
  let time = Member("time", .instant) { $0.event.time }
  let name = Member("name", .text.example("dnd_enabled")) { $0.event.name }
  let parameters = Member("parameters", .rawObject) { $0.event.parameters }
}

struct UsagePayload: Payload {
  struct Value {
    let first: LocalDate
    let last: LocalDate
    let table: UsageTable
  }

  static let shape = PayloadShape(Self(), as: .usage)

  let from = Member("from", .date) { $0.first }
  let to = Member("to", .date) { $0.last }
  let usage = Member("usage", .list(.payload(UsageRowPayload.self))) { $0.table.rows }
  let presets = Member("presets", .table(of: .count), "How often each preset was applied") {
    $0.table.presets.sorted { $0.key < $1.key }
  }
}

/// The counts of a category, channel and hour. Rows without counts are left out, so each channel of
/// a category has at most 24 rows.
struct UsageRowPayload: Payload {
  typealias Value = UsageTable.Row
  static let shape = PayloadShape(Self())

  let category = Member("category", .text) { $0.category }
  let channel = Member("channel", .text) { $0.channel.name }
  let hour = Member("hour", .integer(.integer(0...23))) { $0.hour }
  let planned = Member("planned", .count) { $0[.planned] }
  let sent = Member(
    "sent", .count, "Notifications that passed the gates"
  ) { $0[.sent] }
  let delivered = Member("delivered", .count) { $0[.delivered] }
  let failed = Member("failed", .count) { $0[.failed] }
  let received = Member("received", .count, "Notifications that reached a device or a mailbox") {
    $0[.received]
  }
  let bounced = Member("bounced", .count) { $0[.bounced] }
  let complained = Member("complained", .count) { $0[.complained] }
  let bundled = Member("bundled", .count) { $0[.bundled] }
  let held = Member("held", .count) { $0[.held] }
  let dropped = Member(
    "dropped", .table(of: .count, dropsSchema), "Dropped notifications, by gate"
  ) { row in
    Gate.allCases.compactMap { gate in row.drops[gate].map { (key: gate.reason, value: $0) } }
  }
  let opened = Member("opened", .count) { $0[.opened] }
  let dismissed = Member("dismissed", .count) { $0[.dismissed] }
  let switchedOff = Member("switchedOff", .count) { $0[.switchedOff] }

  private static let dropsSchema = Schema.object(
    Gate.allCases.map { .optional($0.reason, .count) })
}

extension UsageTable.Row {
  fileprivate subscript(measure: UsageMeasure) -> Int { counts[measure] ?? 0 }
}
