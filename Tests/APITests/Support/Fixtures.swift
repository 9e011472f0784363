import CivilTime
import Foundation
import Reminders

enum Fixtures {
  /// The current instant of all tests.
  static let now = Instant(milliseconds: 1_772_416_800_000)  // 2026-03-02T02:00:00Z

  static let planner = Result { try planner(catalog: catalog) }

  /// A planner with the shipped catalog `urbannest`.
  static let urbannest = Result { try shipped("urbannest") }
  /// A planner with the shipped catalog `wellness`.
  static let wellness = Result { try shipped("wellness") }

  private static func shipped(_ name: String) throws -> Planner {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../config/catalogs/\(name).yaml").standardized
    return try planner(catalog: String(contentsOf: file, encoding: .utf8))
  }

  static func planner(catalog text: String) throws -> Planner {
    let zones = try ZoneDatabase(generation: 1)
    return Planner(
      catalog: try Catalog(reading: [CatalogSource(file: "test.yaml", text: text)]), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
  }

  private static let catalog = """
    catalog: test
    categories:
      CHECKIN: {title: Check-ins, urgency: normal, channels: {push: true}}
    groups:
      checkin: {enabled: true, time: "21:00"}
    reminders:
      daily-checkin-reminder:
        category: CHECKIN
        group: checkin
        every: {day: {at: $time}}
        expires: 12h
        messages:
          - {title: Daily Check-in, body: How was your day?}
    """

  /// A valid event as JSON text.
  static func event(
    _ identifier: String, type: String = "checkin.completed", of recipient: String = "u1",
    members: String = ""
  ) -> String {
    """
    {"specversion":"1.0","id":"\(identifier)","source":"test","type":"\(type)",\
    "subject":"\(recipient)"\
    \(members.isEmpty ? "" : ",")\(members)}
    """
  }
}
