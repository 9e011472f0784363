import API
import CivilTime
import JSON

/// The next days of a person as a line each: when it is quiet, and what is said in them, as far as
/// signs can show it. The list below it says the same in words.
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

  /// How many signs a day has: half an hour each, of a day of 24 hours.
  static let cells = 48
  static let daysMax = 14

  private let days: [Day]
  private let quiet: [(start: Instant, end: Instant)]
  private let items: [Item]

  /// - Parameter timeline: what the service says is ahead.
  init(_ timeline: JSONValue) throws(Failure) {
    let timeline = Answer<TimelinePayload>(timeline)
    days = try timeline.days.days.map { day throws(Failure) in
      Day(date: "\(try day.date)", start: try day.start, end: try day.end)
    }
    quiet = try timeline.days.quiet.map { window throws(Failure) in
      (try window.start, try window.end)
    }
    items = try timeline.timeline.map { entry throws(Failure) in
      let isDropped = try entry.outcome == "dropped"
      let isMoved = try entry.at != entry.planned
      return Item(at: try entry.at, mark: isDropped ? "○" : isMoved ? "◐" : "●")
    }
  }

  var text: String {
    let lines = days.prefix(Self.daysMax).map { "\($0.date)  \(strip($0))\n" }
    return lines.joined() + "● goes out  ◐ moved  ○ left out  ░ quiet hours\n\n"
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
      // What goes out is not hidden by what does not.
      if cells[cell] != "●" { cells[cell] = item.mark }
    }
    return String(cells)
  }

  /// A day of 23 or 25 hours is as wide as any other.
  private static func cell(_ instant: Instant, _ day: Day) -> Int {
    let part = (instant - day.start).milliseconds * Int64(cells)
    return min(Int(part / max((day.end - day.start).milliseconds, 1)), cells - 1)
  }

  private static func end(_ instant: Instant, _ day: Day) -> Int {
    instant >= day.end ? cells : cell(instant, day)
  }
}
