import CivilTime
import Foundation
import JSON
import Reminders
import Testing

/// The table of triggers and conditions in chimed-catalog(5). Each cell is tested with all
/// combinations of identifiers.
@Suite struct ConditionTableTests {
  /// A cell of the table, and which of its two events have an identifier.
  struct Cell: Sendable, CustomTestStringConvertible {
    let trigger: String
    let condition: String
    /// Whether the occurrences of the trigger are about an entity.
    let followsEvent: Bool
    let hasTriggerIdentifier: Bool
    let hasConditionIdentifier: Bool
    let isAny: Bool

    /// Whether only reports about the same entity count.
    var isPerEntity: Bool {
      followsEvent && hasTriggerIdentifier && hasConditionIdentifier && !isAny
    }

    var testDescription: String {
      "\(trigger) \(condition), identifiers: \(hasTriggerIdentifier) \(hasConditionIdentifier)"
        + (isAny ? ", per: any" : "")
    }
  }

  static let cells: [Cell] = {
    let page = URL(filePath: #filePath).appending(
      path: "../../../../config/manual/chimed-catalog.5")
    let text = (try? String(contentsOf: page.standardized, encoding: .utf8)) ?? ""
    let rows = text.split(separator: "\n").filter { $0.hasPrefix(".It Cm") && $0.contains(" Ta ") }
    return rows.flatMap { row in
      let columns = row.dropFirst(".It Cm ".count).components(separatedBy: " Ta ")
      let conditions = columns[2].split(separator: " ").dropFirst().map(String.init)
      return conditions.flatMap { cells(columns[0], follows: columns[1], $0) }
    }
  }()

  private static func cells(_ trigger: String, follows: String, _ condition: String) -> [Cell] {
    let combinations = [
      (true, true, false), (true, true, true), (true, false, false), (false, true, false),
      (false, true, true), (false, false, false),
    ]
    return combinations.map { named, conditionNamed, any in
      Cell(
        trigger: trigger, condition: condition, followsEvent: follows != "none",
        hasTriggerIdentifier: named, hasConditionIdentifier: conditionNamed, isAny: any)
    }
  }

  @Test func `G6: the manual has a table of triggers and conditions`() {
    #expect(Set(Self.cells.map(\.trigger)) == ["after", "on", "before", "past", "every", "idle"])
    #expect(Self.cells.count == 6 * 31)
  }

  @Test(arguments: cells)
  func `G6: the manual's table says which reports count for a condition`(cell: Cell) throws {
    let needsReport = ["from", "having", "upcoming"].contains(cell.condition)
    // The cases are no report, a report about another entity, and a report about the same entity.
    #expect(try Self.isDelivered(cell, reports: []) != needsReport)
    #expect(try Self.isDelivered(cell, reports: ["other"]) == (needsReport != cell.isPerEntity))
    #expect(try Self.isDelivered(cell, reports: ["same"]) == needsReport)
    #expect(try Self.isDelivered(cell, reports: ["same", "other"]) == needsReport)
  }

  @Test(arguments: [
    ("on: {event: start, delay: 1h}, cancel: start", "8:47"),
    ("after: {event: start, delay: 1h}, cancel: {event: start, per: any}", "8:50"),
    ("every: {day: {at: '10:00'}}, since: start, cancel: start", "8:59"),
    ("on: {event: start, delay: 1h}, having: {event: report, within: 1d, times: 2}", "8:82"),
    ("on: {event: start, delay: 1h}, unless: {event: report, per: all}", "8:68"),
    ("on: {event: start, delay: 1h}, unless: {event: relapse, per: any}", "8:69"),
    (
      "before: {event: start, at: at, by: 30h}, "
        + "late: skip, upcoming: {event: start, at: at, within: 24h}", "8:71"
    ),
    (
      "before: {event: start, at: at, by: 0s}, "
        + "upcoming: {event: start, at: at, within: 24h}", "8:58"
    ),
    ("past: {event: start, at: at, by: 1h}, upcoming: {event: start, at: at, within: 24h}", "8:56"),
    ("idle: {event: relapse, days: 2}, having: {event: relapse, within: 1d}", "8:49"),
    ("idle: {event: [start, report], hours: 2}, having: {event: start, within: 1h}", "8:58"),
    ("after: {event: start, delay: 5h}, having: {event: start, within: 1h}", "8:50"),
    ("after: {event: relapse, delay: 5h}, having: {event: relapse, within: 1h}", "8:52"),
    ("on: {event: start, delay: 5h}, having: {event: start, within: 1h}", "8:47"),
    ("on: {event: start, delay: 0s}, unless: start", "8:47"),
    ("after: {event: start, delay: 0s}, unless: [report, {event: start, per: any}]", "8:50"),
    ("every: {day: {at: '10:00'}}, since: start, until: start", "8:58"),
    ("every: {day: {at: '10:00'}}, since: [start], until: {event: start, per: any}", "8:60"),
    ("every: {day: {at: '10:00'}}, from: relapse, until: relapse", "8:59"),
    ("every: {day: {at: '10:00'}}, from: start, until: start", "8:57"),
    ("every: {day: {at: '10:00'}}, having: {event: start, within: 7d}, until: start", "8:80"),
    (
      "every: {day: {at: '10:00'}}, "
        + "since: report, from: start, until: {event: start, per: any}", "8:72"
    ),
  ])
  func `G6: a condition that can never be met is rejected`(reminder: String, position: String)
    throws
  {
    let fields = "{thing: identifier, at: instant}"
    let text = Fixtures.catalog(
      events: "{start: \(fields), report: \(fields)}", reminders: ["it": reminder])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    let positions = error?.diagnostics.map { "\($0.line):\($0.column)" }
    #expect(positions == [position], "\(error.map(String.init(describing:)) ?? "")")
  }

  @Test(arguments: [
    "before: {event: start, at: at, by: 30h}, upcoming: {event: start, at: at, within: 24h}",
    "before: {event: start, at: at, by: [30h, 2h]}, late: skip, "
      + "upcoming: {event: start, at: at, within: 24h}",
    "before: {event: start, at: at, by: 30h}, late: skip, again: {every: 12h, times: 1}, "
      + "upcoming: {event: start, at: at, within: 24h}",
    "before: {event: start, at: at, by: $span}, late: skip, "
      + "upcoming: {event: start, at: at, within: 1h}",
    "before: {event: start, at: at, by: 30h}, late: skip, "
      + "upcoming: {event: start, at: at, within: $span}",
    "before: {event: start, at: at, by: 30h}, late: skip, "
      + "upcoming: {event: start, at: at, within: 24h, per: any}",
    "before: {event: start, at: at, by: 30h}, late: skip, "
      + "upcoming: {event: report, at: at, within: 24h}",
    "past: {event: start, at: at, by: 1h}, upcoming: {event: report, at: at, within: 24h}",
    "idle: {event: relapse, days: 1}, having: {event: relapse, within: 1d}",
    "idle: {event: relapse, days: 1, times: [1, 2]}, having: {event: relapse, within: 1d}",
    "idle: {event: relapse, days: $count}, having: {event: relapse, within: 1d}",
    "idle: {event: relapse, days: 2}, having: {event: start, within: 1d}",
    "after: {event: start, delay: 1h}, having: {event: start, within: 1h}",
    "after: {event: start, delay: $span}, having: {event: start, within: 1m}",
    "after: {event: start, delay: 5h}, where: {at: {given: true}}, "
      + "having: {event: start, within: 1h, per: any}",
    "on: {event: relapse, delay: 5h}, having: {event: relapse, within: 1h}",
    "on: {event: start, delay: 5h}, having: {event: start, within: 1h, per: any}",
    "on: {event: start, delay: 1s}, unless: start",
    "on: {event: start, delay: 0s}, unless: report",
    "on: {event: start, delay: 0s}, again: {every: 1h, times: 1}, unless: start",
    "every: {day: {at: '10:00'}}, since: [start, report], until: start",
    "every: {day: {at: '10:00'}}, from: start, until: report",
    "every: {day: {at: '10:00'}}, since: report, from: {event: start, per: any}, until: start",
  ])
  func `G6: a condition that can be met is accepted`(reminder: String) {
    let fields = "{thing: identifier, at: instant}"
    let text = Fixtures.catalog(
      events: "{start: \(fields), report: \(fields)}",
      groups: "notes: {enabled: true, count: 3, span: {duration: [1m, 3d], initial: 1h}}",
      reminders: ["it": reminder])
    #expect(throws: Never.self) { try Fixtures.read(text) }
  }

  @Test func `G6: a reminder overdue when its event arrives can meet its condition`() throws {
    let catalog = Fixtures.catalog(
      events: "{start: {thing: identifier, at: instant}}",
      reminders: [
        "it": "before: {event: start, at: at, by: 30h}, "
          + "upcoming: {event: start, at: at, within: 24h}"
      ])
    var player = Player(
      planner: try Fixtures.planner(catalog: catalog), now: try utc("2026-03-02 10:00"))
    try player.take("start", ["thing": "soon", "at": "2026-03-02T20:00:00Z"])
    try player.take("start", ["thing": "later", "at": "2026-03-05T20:00:00Z"])
    player.advance(to: try utc("2026-03-07 10:00"))
    let sent = player.entries.filter { $0.outcome == .delivered }.map(\.at)
    #expect(sent == [try utc("2026-03-02 10:00")])
  }

  /// Returns whether the reminder is delivered at 10:00, two days after the event `start`.
  private static func isDelivered(_ cell: Cell, reports: [String]) throws -> Bool {
    let planner = try Fixtures.planner(catalog: catalog(cell))
    var player = Player(planner: planner, now: try utc("2026-03-02 10:00"))
    try player.take("start", event(cell.hasTriggerIdentifier ? "same" : nil, at: instant(cell)))
    player.advance(to: try utc("2026-03-04 08:00"))
    for report in reports {
      let name = cell.hasConditionIdentifier ? report : nil
      try player.take("report", event(name, at: "2026-03-04T12:00:00Z"))
    }
    let due = try utc("2026-03-04 10:00")
    player.advance(to: due)
    return player.entries.contains { $0.at == due && $0.outcome == .delivered }
  }

  private static func instant(_ cell: Cell) -> String {
    cell.trigger == "past" ? "2026-03-04T08:00:00Z" : "2026-03-04T12:00:00Z"
  }

  private static func event(_ identifier: String?, at instant: String) -> JSONValue {
    guard let identifier else { return ["at": .string(instant)] }
    return ["at": .string(instant), "thing": .string(identifier)]
  }

  private static func catalog(_ cell: Cell) -> String {
    let triggers = [
      "after": "after: {event: start, delay: 2d}", "on": "on: {event: start, delay: 2d}",
      "before": "before: {event: start, at: at, by: 2h}",
      "past": "past: {event: start, at: at, by: 2h}",
      "every": "every: {day: {at: '10:00'}}, since: start",
      "idle": "idle: {event: start, days: 2}",
    ]
    let per = cell.isAny ? ", per: any" : ""
    let conditions = [
      "having": "{event: report, within: 1d\(per)}",
      "upcoming": "{event: report, at: at, within: 1d\(per)}",
      "pause": "{event: report, days: 5\(per)}",
    ]
    let condition = conditions[cell.condition] ?? "{event: report\(per)}"
    func fields(_ hasIdentifier: Bool) -> String {
      hasIdentifier ? "{thing: identifier, at: instant}" : "{at: instant}"
    }
    let start = fields(cell.hasTriggerIdentifier)
    let report = fields(cell.hasConditionIdentifier)
    let events = "{start: \(start), report: \(report)}"
    let reminder = "\(triggers[cell.trigger] ?? ""), \(cell.condition): \(condition)"
    return Fixtures.catalog(events: events, reminders: ["it": reminder])
  }
}
