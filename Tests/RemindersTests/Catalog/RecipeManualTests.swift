import CivilTime
import Foundation
import Holidays
import JSON
import Testing

@testable import Reminders

/// Each recipe of the manual page chimed-recipes(7) is sent when its story says.
@Suite struct RecipeManualTests {
  /// The catalog in which a recipe replaces the last line.
  private let frame: [String]
  /// The lines of the recipes, by their headings.
  private let recipes: [String: [String]]
  private let zone: Zone

  init() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../config/manual/chimed-recipes.7").standardized
    let lines = try String(contentsOf: page, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    frame = try #require(Self.example(after: 0, in: lines))
    recipes = Dictionary(
      uniqueKeysWithValues: lines.indices.compactMap { index in
        guard lines[index].hasPrefix(".Ss "),
          let recipe = Self.example(after: index, in: lines)
        else { return nil }
        return (String(lines[index].dropFirst(4)), recipe)
      })
    zone = try Fixtures.zone("Europe/Berlin")
  }

  /// Returns the lines of the first example after a line; nil if there is none.
  private static func example(after index: Int, in lines: [String]) -> [String]? {
    let rest = lines[index...]
    guard let start = rest.firstIndex(where: { $0.hasPrefix(".Bd ") }),
      let end = rest[start...].firstIndex(of: ".Ed")
    else { return nil }
    return Array(lines[(start + 1)..<end])
  }

  /// The holidays on working days of the stories: New Year's Day, Good Friday, Easter Monday and
  /// Labour Day.
  private static let holidays = ["20260101", "20260403", "20260406", "20260501"]

  private func planner(of recipe: [String]) throws -> Planner {
    let trigger = recipe.map { "    " + $0 }
    let catalog = try Fixtures.read((frame.dropLast() + trigger).joined(separator: "\n"))
    let events = Self.holidays.map {
      "BEGIN:VEVENT\r\nSUMMARY:A holiday\r\nDTSTART;VALUE=DATE:\($0)\r\nEND:VEVENT\r\n"
    }
    let calendar = "BEGIN:VCALENDAR\r\n\(events.joined())END:VCALENDAR\r\n"
    let holidays = try HolidayDatabase(files: [
      CalendarFile(path: "DE.ics", content: Array(calendar.utf8))
    ])
    return Planner(
      catalog: catalog, zones: try Fixtures.zones.get(), defaultZone: zone, holidays: holidays)
  }

  /// Parses a local time such as "2026-03-28 09:00".
  private func instant(_ text: String) throws -> Instant {
    let parts = text.split(separator: " ").map(String.init)
    let date = try #require(LocalDate(parts[0]))
    let time = try #require(LocalTime(parts[1]))
    return zone.instant(of: LocalDateTime(date: date, time: time))
  }

  private func localTime(_ instant: Instant) -> String {
    let local = zone.local(at: instant)
    let minute = local.secondOfDay / 60
    let digits = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "\(local.date) \(digits.joined(separator: ":"))"
  }

  @Test(arguments: RecipeStories.all)
  func `each recipe of the manual is sent when its story says`(story: RecipeStory) throws {
    let recipe = try #require(recipes[story.title], "the manual has no recipe for this story")
    var player = Player(planner: try planner(of: recipe), now: try instant(story.start))
    try player.take("recipient.updated", ["holidays": "DE"])
    for event in story.events {
      let time = try instant(event.time)
      player.advance(to: time)
      try player.take(event.type, event.data)
    }
    player.advance(to: try instant(story.end))
    let sent = player.entries.filter { $0.outcome == .delivered }
    #expect(sent.map { localTime($0.at) } == story.expectedTimes)
  }

  @Test func `every recipe of the manual has a story`() {
    #expect(recipes.count >= 40)
    #expect(Set(recipes.keys) == Set(RecipeStories.all.map(\.title)))
  }
}
