import CivilTime
import Foundation
import JSON
import Reminders
import Simulation

/// Prints a timeline: NDJSON, or a table for a person at a terminal.
struct TimelineOutput {
  let isTable: Bool
  let isExplained: Bool
  private var isHeaderDue = true
  private var writer = JSONWriter(reservingCapacity: 1 << 16)

  init(isTable: Bool, isExplained: Bool) {
    self.isTable = isTable
    self.isExplained = isExplained
  }

  mutating func write(_ entries: [TimelineEntry]) throws {
    if isTable { return printTable(entries) }
    for entry in entries {
      entry.write(to: &writer, isExplained: isExplained)
      if writer.bytes.count > 1 << 16 { try flush() }
    }
    try flush()
  }

  private mutating func flush() throws {
    try FileHandle.standardOutput.write(contentsOf: writer.bytes)
    writer.removeAll()
  }

  private mutating func printTable(_ entries: [TimelineEntry]) {
    if isHeaderDue { print(row("AT", "RECIPIENT", "REMINDER", "OUTCOME", "REASONS")) }
    isHeaderDue = false
    for entry in entries {
      let reasons = entry.trace.reasons.joined(separator: ",")
      print(
        row(
          entry.at.description, entry.recipient, entry.caption.reminder, entry.outcome.name,
          reasons.isEmpty ? entry.caption.title : "\(reasons)  \(entry.caption.title)"))
    }
  }

  private func row(_ at: String, _ who: String, _ what: String, _ came: String, _ why: String)
    -> String
  {
    [at.padded(24), who.padded(16), what.padded(26), came.padded(9), why].joined(separator: "  ")
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    count >= width ? self : self + String(repeating: " ", count: width - count)
  }
}
