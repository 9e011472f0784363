import CivilTime
import Engine
import Foundation
import Reminders

/// The catalog and the events that the benchmarks work with.
enum Workload {
  static func planner() throws -> Planner {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../config/catalogs/imanpath.yaml").path
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

  /// Puts so many recipients into a core, who all have their check-in at 21:00 UTC.
  static func populate(_ core: EngineCore, count: Int, at time: Instant) throws {
    for start in stride(from: 0, to: count, by: 10_000) {
      let events = (start..<min(count, start + 10_000)).map { number in
        event(
          number, "lesson.completed", recipient: number, at: time, .happening(number: 30),
          data: "{\"day\":30}")
      }
      try core.turn([.submit(events, { _ in })], now: time)
    }
  }
}
