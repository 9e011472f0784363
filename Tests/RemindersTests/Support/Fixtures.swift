import CivilTime
import Foundation
import JSON
import Reminders
import Testing

/// What tests plan with: the shipped catalog or one written for the test, and the system's zones.
enum Fixtures {
  private static let shippedCatalogs = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../../config/catalogs").standardized

  static let zones = Result { try ZoneDatabase(generation: 1) }

  private static let imanpath = Result {
    let file = shippedCatalogs.appending(path: "imanpath.yaml")
    return try Catalog(reading: [
      CatalogSource(file: file.path, text: try String(contentsOf: file, encoding: .utf8))
    ])
  }

  /// - Parameter catalog: a catalog's text; the shipped `imanpath` if nil.
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

  static func zone(_ name: String) throws -> Zone {
    try zones.get().zone(named: name)
  }

  /// A catalog of one daily reminder, whose days and time are parameters of the group `notes`.
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

/// An instant written as in a diary: "2026-03-02 21:00", with seconds if there are any, in UTC.
func utc(_ text: some StringProtocol) throws -> Instant {
  let seconds = text.count > 16 ? "" : ":00"
  let written = text.split(separator: " ").joined(separator: "T") + seconds + "Z"
  return try #require(Instant(written), "\"\(text)\" is not an instant")
}
