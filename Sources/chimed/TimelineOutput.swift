import CivilTime
import Foundation
import JSON
import Reminders
import Simulation
import chimectl

/// Prints a timeline: NDJSON, or, for a person at a terminal, a table in everyone's own time.
struct TimelineOutput {
  /// What it is shown on; nil for a program.
  let screen: Screen?
  let isExplained: Bool
  private var rows: [TimelineEntry] = []
  private var writer = JSONWriter(reservingCapacity: 1 << 16)

  /// How many rows are laid out together.
  private static let page = 1_000

  init(screen: Screen?, isExplained: Bool) {
    self.screen = screen
    self.isExplained = isExplained
  }

  mutating func write(_ entries: [TimelineEntry]) throws {
    guard screen == nil else {
      rows += entries
      return rows.count < Self.page ? () : try finish()
    }
    for entry in entries {
      entry.write(to: &writer, isExplained: isExplained)
      if writer.bytes.count > 1 << 16 { try flush() }
    }
    try flush()
  }

  /// Prints what is not printed yet.
  mutating func finish() throws {
    guard let screen, !rows.isEmpty else { return }
    var table = Table(header: ["LOCAL TIME", "RECIPIENT", "REMINDER", "BY", "TITLE", "NOTE"])
    for entry in rows {
      table.add([
        "\(entry.zone.local(at: entry.at)) \(entry.zone.abbreviation(at: entry.at))",
        entry.recipient, entry.caption.reminder, entry.channel.name, entry.caption.title,
        Self.note(entry),
      ])
    }
    rows = []
    try FileHandle.standardOutput.write(contentsOf: Data(table.text(on: screen).utf8))
  }

  private mutating func flush() throws {
    try FileHandle.standardOutput.write(contentsOf: writer.bytes)
    writer.removeAll()
  }

  /// "dropped by expired", "held by quiet_hours from 2026-03-02 22:30".
  private static func note(_ entry: TimelineEntry) -> String {
    let reasons = entry.trace.reasons.joined(separator: ", ")
    if entry.outcome == .dropped { return "dropped by \(reasons)" }
    return reasons.isEmpty
      ? "" : "held by \(reasons) from \(entry.zone.local(at: entry.planned))"
  }
}
