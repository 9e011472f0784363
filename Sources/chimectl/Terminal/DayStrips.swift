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
    /// The instant of sending.
    let at: Instant
    /// The sign of a notification that is sent, moved or dropped.
    let mark: Character
  }

  /// The number of signs for a day; in a day of 24 hours each sign is half an hour.
  private static let cellsPerDay = 48
  static let daysMax = 14

  private let days: [Day]
  private let quietWindows: [(start: Instant, end: Instant)]
  private let items: [Item]

  /// - Parameter timeline: the service's forecast.
  init(_ timeline: JSONValue) throws(CommandError) {
    let timeline = Answer<TimelinePayload>(timeline)
    days = try timeline.days.days.map { day throws(CommandError) in
      Day(date: "\(try day.date)", start: try day.start, end: try day.end)
    }
    quietWindows = try timeline.days.quiet.map { window throws(CommandError) in
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
    var cells = [Character](repeating: "·", count: Self.cellsPerDay)
    for window in quietWindows where window.end > day.start && window.start < day.end {
      for cell in Self.cell(max(window.start, day.start), day)..<Self.endCell(window.end, day) {
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

  /// Returns the index of an instant's cell in a day. A day of 23 or 25 hours is as wide as others.
  private static func cell(_ instant: Instant, _ day: Day) -> Int {
    let scaled = (instant - day.start).milliseconds * Int64(cellsPerDay)
    return min(Int(scaled / max((day.end - day.start).milliseconds, 1)), cellsPerDay - 1)
  }

  /// Returns the index after the last cell of a window that ends at an instant.
  private static func endCell(_ instant: Instant, _ day: Day) -> Int {
    instant >= day.end ? cellsPerDay : cell(instant, day)
  }
}
