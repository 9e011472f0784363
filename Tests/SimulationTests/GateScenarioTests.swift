import Foundation
import Holidays
import JSON
import Reminders
import Testing

/// Chapter "Gates" of the rules: the simulation's output agrees with an independent model, for
/// recipients with caps, digests, vacations and appointments.
@Suite struct GateScenarioTests {
  private static let names = [
    "p7-e5", "v10-evening", "v11-zone", "v4-vacation", "v5-cancelled", "v5-digest", "v5-interval",
    "v5-slot", "v5-waiting", "v6-channels", "v6-twins", "v9-weekdays", "1", "2", "3", "4", "5", "6",
    "7", "8", "digest-interval", "digest-drop", "standstill",
  ]

  @Test(arguments: names)
  func `V5: the timeline agrees with the model`(name: String) throws {
    try Self.check("gates/\(name)", try Fixtures.gatesPlanner())
  }

  @Test func `V9: an occurrence held by a cap stays held after a report at night`() throws {
    let catalog = try Fixtures.text(of: "../config/catalogs/urbannest.yaml")
    try Self.check("night", try Fixtures.planner(catalog: catalog))
  }

  private static func check(_ name: String, _ planner: Planner) throws {
    func text(_ part: String) throws -> String {
      try Fixtures.text(of: "SimulationTests/Scenarios/\(name).\(part)")
    }
    let reader = EventReader(planner: planner)
    let events = try Fixtures.lines(of: text("events.ndjson")).map {
      try reader.event($0, now: nil)
    }
    let until = try text("until").filter { !$0.isWhitespace }
    let timeline = try Fixtures.timeline(events, planner, until: until)
      .filter { !Self.isSkippedLead($0) }.map(compared)
    let expected = try Fixtures.lines(of: text("expected.ndjson")).map(compared)
    for (line, wanted) in zip(timeline.sorted(), expected.sorted()) where line != wanted {
      Issue.record("\(name):\n  \(line)\nmust be\n  \(wanted)")
      return
    }
    #expect(timeline.count == expected.count, "\(name)")
  }

  /// Whether a line is the drop of a late lead, which the model does not predict.
  private static func isSkippedLead(_ line: JSONValue) -> Bool {
    ["h-before", "i-daybefore", "o-care"].contains(line["reminder"]?.stringValue)
      && line["reasons"] == .array([.string("missed")])
  }

  /// The compared part of a line, with only those reasons of a drop that the model determines.
  private static func compared(_ line: JSONValue) -> String {
    let fields = ["at", "recipient", "reminder", "channel", "outcome", "planned"]
    let digest = line["digest"]?.arrayValue?.compactMap(\.stringValue).sorted() ?? []
    let reasons = line["reasons"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let isDropped = line["outcome"] == "dropped"
    return fields.compactMap { line[$0]?.stringValue }.joined(separator: " ")
      + (line["silent"] == true ? " silent " : " ") + digest.joined(separator: ", ")
      + (isDropped ? " " + drop(reasons) : "")
  }

  private static func drop(_ reasons: [String]) -> String {
    if !Set(reasons).isDisjoint(with: ["expired", "missed"]) { return "late" }
    let named = reasons.filter { ["vacation", "calendar", "quiet_hours"].contains($0) }.sorted()
    guard named.isEmpty else { return named.joined(separator: ", ") }
    return reasons.contains("daily_cap") ? "daily_cap" : ""
  }
}
