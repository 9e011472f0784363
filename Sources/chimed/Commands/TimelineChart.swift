import ArgumentParser
import CivilTime
import Foundation
import Reminders

/// A drawing of one recipient's timeline. Each local date is a row, quiet hours are shaded, and
/// each notification that is sent, moved or dropped has a mark.
struct TimelineChart {
  /// The maximum number of rows: a year and a day.
  private static let daysMax = 366
  private static let (labelWidth, dayWidth, rowHeight, topMargin) = (110.0, 860.0, 22.0, 56.0)

  private let context: PlanningContext
  /// The date of the first row.
  private let first: LocalDate
  /// The date of the last row.
  private let last: LocalDate
  private var entries: [TimelineEntry] = []

  /// - Throws: an error if the events are not about exactly one recipient.
  init(of events: [Event], until: Instant, planner: Planner) throws {
    let names = Set(events.map { Array($0.recipient.utf8) })
    guard names.count == 1, let start = events.map(\.time).min(), let event = events.first else {
      throw ValidationError(
        "--chart draws one recipient; the events are about \(names.count) recipients.")
    }
    var recipient = Recipient(name: event.recipient, now: start)
    let pastEvents = events.filter { $0.time <= until }.enumerated()
    recipient.apply(pastEvents.map { Arrival($1, order: Int64($0)) }, now: until, planner: planner)
    context = PlanningContext(facts: recipient.facts, planner: planner)
    first = context.zone.date(at: start)
    last = min(context.zone.date(at: until), first + (Self.daysMax - 1))
  }

  mutating func add(_ entries: [TimelineEntry]) { self.entries += entries }

  func write(to file: String) throws {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      throw UnwritableChartError(path: file, reason: error.localizedDescription)
    }
  }

  var text: String {
    let dates = (0...Int(last.daysSinceEpoch - first.daysSinceEpoch)).map { first + $0 }
    let height = Self.topMargin + Self.rowHeight * Double(dates.count) + 16
    let size = "viewBox=\"0 0 \(Int(Self.labelWidth + Self.dayWidth + 20)) \(Int(height))\""
    return """
      <svg xmlns="http://www.w3.org/2000/svg" \(size) role="img" font-family="sans-serif">
      <title>\(Self.escaped("\(first) to \(last), \(context.zone.name)"))</title>
      <style>text{font-size:12px;fill:#20262a}.t{fill:#efeae0}.q{fill:#dcd8ee}.g{fill:#0a6b61}
      .m{fill:#875400}.d{fill:#fff;stroke:#6a5b6d;stroke-width:2}.l{stroke:#c9c2b4}</style>
      <rect width="100%" height="100%" fill="#fffefb"/>
      \(legend)\(hours)\(dates.enumerated().map(day).joined())</svg>

      """
  }

  // MARK: - Elements of the drawing

  private var legend: String {
    let marks = [("g", "sent"), ("m", "moved"), ("d", "dropped"), ("q", "quiet hours")]
    return marks.enumerated().map { index, mark in
      let x = Self.labelWidth + Double(index) * 110
      return "<circle class=\"\(mark.0)\" cx=\"\(x + 6)\" cy=\"16\" r=\"5\"/>"
        + "<text x=\"\(x + 16)\" y=\"20\">\(mark.1)</text>\n"
    }.joined()
  }

  private var hours: String {
    [0, 6, 12, 18, 24].map { hour in
      let x = Self.labelWidth + Self.dayWidth * Double(hour) / 24
      return "<text x=\"\(x)\" y=\"46\" text-anchor=\"middle\">\(hour):00</text>\n"
    }.joined()
  }

  private func day(_ index: Int, _ date: LocalDate) -> String {
    let zone = context.zone
    let day = zone.instant(of: date, at: .midnight)..<zone.instant(of: date + 1, at: .midnight)
    let y = Self.topMargin + Double(index) * Self.rowHeight
    func x(_ instant: Instant) -> Double {
      let length = Double((day.upperBound - day.lowerBound).milliseconds)
      let fraction = Double((instant - day.lowerBound).milliseconds) / length
      return Self.labelWidth + Self.dayWidth * min(max(fraction, 0), 1)
    }
    let quietSpans = context.settings.quietHours.windows(from: date, through: date, in: zone)
      .filter { $0.upperBound > day.lowerBound && $0.lowerBound < day.upperBound }
    return "<text x=\"8\" y=\"\(y + 13)\">\(date)</text>\n"
      + Self.bar("t", Self.labelWidth, Self.labelWidth + Self.dayWidth, y)
      + quietSpans.map { Self.bar("q", x($0.lowerBound), x($0.upperBound), y) }.joined()
      + marks(in: day).map { Self.mark($0, x($0.at), y, zone) }.joined()
  }

  /// Returns the entries to mark: one for each notification, even for one on several channels.
  private func marks(in day: Range<Instant>) -> [TimelineEntry] {
    var seen: Set<String> = []
    return entries.filter { entry in
      day.contains(entry.at)
        && seen.insert("\(entry.at) \(entry.message.reminder) \(entry.outcome)").inserted
    }
  }

  private static func bar(_ style: String, _ start: Double, _ end: Double, _ y: Double) -> String {
    "<rect class=\"\(style)\" x=\"\(start)\" y=\"\(y + 2)\" width=\"\(end - start)\" "
      + "height=\"14\"/>\n"
  }

  private static func mark(
    _ entry: TimelineEntry, _ x: Double, _ y: Double, _ zone: Zone
  ) -> String {
    let style = entry.outcome == .dropped ? "d" : entry.at == entry.planned ? "g" : "m"
    let reasons = entry.trace.reasons.joined(separator: ", ")
    let tooltip = "\(zone.local(at: entry.at)) \(entry.message.title) \(reasons)"
    return "<circle class=\"\(style)\" cx=\"\(x)\" cy=\"\(y + 9)\" r=\"5\">"
      + "<title>\(escaped(tooltip))</title></circle>\n"
  }

  /// Escapes text of catalogs and apps as XML text (XML 1.0, section 2.4), and removes characters
  /// that XML does not allow.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "\t", "\n": " "
      case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): ""
      default: String(scalar)
      }
    }.joined()
  }
}

struct UnwritableChartError: Error, CustomStringConvertible {
  let path: String
  let reason: String

  var description: String { "the chart cannot be written to \(path): \(reason)" }
}
