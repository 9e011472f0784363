import CivilTime
import Foundation
import JSON
import Reminders
import Testing

/// Planners for tests, with the shipped catalog or the test's own, and with the system's zones.
enum Fixtures {
  private static let shippedCatalogs = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../../config/catalogs").standardized

  static let zones = Result { try ZoneDatabase(generation: 1) }

  private static let imanpath = Result { try read(shipped("imanpath")) }

  /// Returns the text of a shipped catalog.
  static func shipped(_ name: String) throws -> String {
    try String(contentsOf: shippedCatalogs.appending(path: "\(name).yaml"), encoding: .utf8)
  }

  /// - Parameter catalog: The text of a catalog; nil means the shipped `imanpath`.
  static func planner(
    catalog: String? = nil, defaultZone: String = "UTC",
    requirements: [Channel: Requirement] = [:]
  ) throws -> Planner {
    let zones = try zones.get()
    return Planner(
      catalog: try catalog.map(read) ?? imanpath.get(), zones: zones,
      defaultZone: try zones.zone(named: defaultZone), requirements: requirements)
  }

  static func read(_ text: String) throws -> Catalog {
    try Catalog(reading: [CatalogSource(file: "test.yaml", text: text)])
  }

  /// A catalog with the category `NOTE` (push, e-mail and SMS) and the given events, groups and
  /// reminders. Each reminder is one line of a flow mapping; category, group, expiry and message
  /// have defaults.
  static func catalog(
    events: String = "{}", groups: String = "notes: {enabled: true}",
    reminders: KeyValuePairs<String, String>
  ) -> String {
    let lines = reminders.map { name, body in
      var members = body
      for (key, value) in [
        ("category", "NOTE"), ("group", "notes"), ("expires", "12h"),
        ("messages", "[{title: Note, body: A note.}]"),
      ] where !members.contains("\(key):") { members += ", \(key): \(value)" }
      return "  \(name): {\(members)}"
    }
    let indented = groups.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    return """
      catalog: notes
      events: \(events)
      categories:
        NOTE: {title: Notes, channels: {push: true, email: false, sms: false}}
      groups:
      \(indented)
      reminders:
      \(lines.joined(separator: "\n"))
      """
  }

  static func zone(_ name: String) throws -> Zone {
    try zones.get().zone(named: name)
  }

  /// Returns a catalog with one daily reminder; its days and time are parameters of the group
  /// `notes`.
  static func noteCatalog(
    reminder: String = "note", at time: String = "12:00", urgency: String = "normal",
    expires: String = "12h"
  ) -> String {
    """
    catalog: notes
    categories:
      NOTE: {title: Notes, urgency: \(urgency), channels: {push: true}}
    groups:
      notes: {enabled: true, time: "\(time)", days: [mon, tue, wed, thu, fri, sat, sun]}
    reminders:
      \(reminder):
        category: NOTE
        group: notes
        every: {week: {on: $days, at: $time}}
        expires: \(expires)
        messages: [{title: Note, body: A note.}]
    """
  }
}

/// Parses an instant as in a diary: "2026-03-02 21:00" in UTC, optionally with seconds.
func utc(_ text: some StringProtocol) throws -> Instant {
  let seconds = text.count > 16 ? "" : ":00"
  let dateTime = text.split(separator: " ").joined(separator: "T") + seconds + "Z"
  return try #require(Instant(dateTime), "\"\(text)\" is not an instant")
}
