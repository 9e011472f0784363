import CivilTime
import JSON

@testable import Reminders

extension Player {
  /// Returns the answer to an event that is reported now, without applying it.
  func answer(
    to type: String, _ data: JSONValue
  ) throws -> (lines: [String], warnings: [String]) {
    let json: JSONValue = [
      "specversion": "1.0", "id": "answer", "source": "test", "type": .string(type),
      "subject": .string(recipient.name), "time": .string(now.description), "data": data,
    ]
    let event = try EventReader(planner: planner).event(json, now: now)
    try recipient.check(event, planner: planner)
    let consequences = recipient.consequences(of: [event], now: now, planner: planner)
    return (consequences.changes.map(\.line), consequences.warnings)
  }
}

extension Consequences.Change {
  fileprivate var line: String {
    let instants = [before, after].map { $0.map { DiaryLine.format($0) } ?? "-" }
    let about = entities.isEmpty ? "" : " of \(entities.joined(separator: ", "))"
    return "\(kind) \(message.reminder)\(about) \(instants.joined(separator: " -> ")) "
      + "[\(reasons.joined(separator: ", "))]"
  }
}
