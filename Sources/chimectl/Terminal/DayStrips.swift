import API
import CivilTime
import JSON

/// The next days of a recipient, one line for each day, with signs for quiet hours and
/// notifications. The command prints the same in words below these lines.
struct DayStrips {
  private struct Day {
    let date: String
    let start: Instant
    let end: Instant
  }

  private struct Item {
    let at: Instant
    let mark: Character
  }

  /// The number of signs for a day; in a day of 24 hours each sign is half an hour.
  static let cells = 48
  static let daysMax = 14

  private let days: [Day]
  private let quiet: [(start: Instant, end: Instant)]
  private let items: [Item]

  /// - Parameter timeline: the service's forecast.
  init(_ timeline: JSONValue) throws(CommandError) {
    let timeline = Answer<TimelinePayload>(timeline)
    days = try timeline.days.days.map { day throws(CommandError) in
      Day(date: "\(try day.date)", start: try day.start, end: try day.end)
    }
    quiet = try timeline.days.quiet.map { window throws(CommandError) in
      (try window.start, try window.end)
    }
    items = try timeline.timeline.map { entry throws(CommandError) in
      let isDropped = try entry.outcome == "dropped"
      let isMoved = try entry.at != entry.planned
      return Item(at: try entry.at, mark: isDropped ? "○" : isMoved ? "◐" : "●")
    }
  }

  var text: String {
    let lines = days.prefix(Self.daysMax).map { "\($0.date)  \(strip($0))\n" }
    return lines.joined() + "● sent  ◐ moved  ○ dropped  ░ quiet hours\n\n"
  }

  private func strip(_ day: Day) -> String {
    var cells = [Character](repeating: "·", count: Self.cells)
    for window in quiet where window.end > day.start && window.start < day.end {
      for cell in Self.cell(max(window.start, day.start), day)..<Self.end(window.end, day) {
        cells[cell] = "░"
      }
    }
    for item in items where day.start <= item.at && item.at < day.end {
      let cell = Self.cell(item.at, day)
      // A sent notification takes precedence over others in the same cell.
      if cells[cell] != "●" { cells[cell] = item.mark }
    }
    return String(cells)
  }

  /// Returns the position of an instant in its day. A day of 23 or 25 hours is as wide as others.
  private static func cell(_ instant: Instant, _ day: Day) -> Int {
    let part = (instant - day.start).milliseconds * Int64(cells)
    return min(Int(part / max((day.end - day.start).milliseconds, 1)), cells - 1)
  }

  private static func end(_ instant: Instant, _ day: Day) -> Int {
    instant >= day.end ? cells : cell(instant, day)
  }
}
