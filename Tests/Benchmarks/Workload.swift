import CivilTime
import Engine
import Foundation
import Reminders

/// The catalog and the events of the benchmarks.
enum Workload {
  /// The path of the usual catalog.
  static var catalog: String { catalog(named: "imanpath") }

  /// Returns the path of a shipped catalog.
  static func catalog(named name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../config/catalogs/\(name).yaml").standardized.path
  }

  static func planner() throws -> Planner {
    let path = catalog
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let zones = try ZoneDatabase(generation: 1)
    return Planner(
      catalog: try Catalog(reading: [CatalogSource(file: path, text: text)]), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
  }

  static func event(
    _ number: Int, _ type: String, recipient: Int, at time: Instant, _ content: Event.Content,
    data: String = "{}"
  ) -> Event {
    Event(
      identifier: "e\(number)", source: "benchmark", type: type, recipient: "user-\(recipient)",
      time: time, isTimeGiven: true, content: content, data: Array(data.utf8))
  }

  /// Adds recipients to a core, all with a check-in at 21:00 UTC.
  ///
  /// - Parameter isGated: whether all of them have settings for every gate.
  static func populate(
    _ core: EngineCore, count: Int, at time: Instant, isGated: Bool = false
  ) throws {
    for start in stride(from: 0, to: count, by: 10_000) {
      let events = (start..<min(count, start + 10_000)).map { number in
        event(
          number, "lesson.completed", recipient: number, at: time, .happening(number: 30),
          data: "{\"day\":30}")
      }
      try core.turn([.submit(events, { _ in })], now: time)
      guard isGated else { continue }
      let changes = (start..<min(count, start + 10_000)).map { number in
        event(
          count + number, "preferences.updated", recipient: number, at: time,
          .preferences(preferences))
      }
      try core.turn([.submit(changes, { _ in })], now: time)
    }
  }

  /// Quiet hours from 22:00 to 06:00, at most ten notifications a day and one in a quarter of an
  /// hour, no weekends, and a full matrix.
  private static let preferences: [SettingChange] = [
    ("master", 1), ("channels.push", 1), ("channels.email", 1), ("categories.CHECKIN.push", 1),
    ("categories.LESSON.push", 1), ("categories.RECOVERY.push", 1),
    ("categories.MILESTONE.push", 0), ("quietHours.enabled", 1), ("quietHours.start", 22 * 60),
    ("quietHours.end", 6 * 60), ("calendar.skipWeekends", 1), ("caps.perDay", 10),
    ("caps.minInterval", 900_000), ("bundling.threshold", 3),
  ].map { SettingChange(path: Symbol($0.0), value: $0.1) }
}
