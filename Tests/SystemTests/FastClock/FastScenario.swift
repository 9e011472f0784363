import CivilTime
import Glibc
import JSON
import Testing

/// Recorded events, for the real service at high speed and for `chimed simulate`.
struct FastScenario: Sendable, CustomTestStringConvertible {
  let name: String
  let catalog: String
  /// The scenarios that are combined here; their people are independent.
  private let parts: [String]
  /// The examined span of the scenario's own time; nil for all of it.
  private let span: TimeSpan?

  var testDescription: String { name }

  /// Three days that show the gates, with `BusyPerson`, or the scenario in `CHIMED_FAST_CLOCK`: a
  /// whole one such as `gates/1`, or `all`. Some take hours.
  static var chosen: [FastScenario] {
    guard let name = Project.variable("CHIMED_FAST_CLOCK") else {
      return [FastScenario("three days of the gates", gatesCatalog, days, .days(3))]
    }
    let gates = (1...8).map { FastScenario("gates/\($0)", gatesCatalog, ["gates/\($0)"]) }
    let all =
      [FastScenario("gates/days", gatesCatalog, days)] + gates
      + (1...12).map { FastScenario("\($0)", "imanpath", ["\($0)"]) }
    return all.filter { [$0.name, "all"].contains(name) }
  }

  private static let days = [
    "p7-e5", "v10-evening", "v11-zone", "v4-vacation", "v5-cancelled", "v5-digest", "v5-interval",
    "v5-slot", "v5-waiting", "v6-channels", "v6-twins", "v9-weekdays",
  ].map { "gates/" + $0 }

  private static let folder = Project.root + "/Tests/SimulationTests/Scenarios/"
  private static let gatesCatalog = folder + "gates/gates.yaml"

  private init(_ name: String, _ catalog: String, _ parts: [String], _ span: TimeSpan? = nil) {
    (self.name, self.catalog, self.parts, self.span) = (name, catalog, parts, span)
  }

  /// The events in order, grouped by instant.
  func groups() throws -> [(time: Instant, events: [JSONValue])] {
    var groups: [(time: Instant, events: [JSONValue])] = []
    let busy = span == nil ? [] : try BusyPerson.events()
    let events = try (parts.flatMap(events) + busy).sorted { $0.time < $1.time }
    guard let first = events.first else { return [] }
    for (time, event) in events where span.map({ time < first.time + $0 }) ?? true {
      if groups.last?.time == time {
        groups[groups.count - 1].events.append(event)
      } else {
        groups.append((time, [event]))
      }
    }
    return groups
  }

  /// The end of the examined span.
  func end(after first: Instant) throws -> Instant {
    if let span { return first + span }
    let ends = try parts.compactMap { part in
      let text = String(decoding: try Files.read(Self.folder + part + ".until"), as: UTF8.self)
      return Instant(text.filter { !$0.isWhitespace })
    }
    return ends.max() ?? first
  }

  /// Returns the events of a part. Recipients with the same name in several parts are different
  /// people.
  private func events(of part: String) throws -> [(time: Instant, event: JSONValue)] {
    let text = String(
      decoding: try Files.read(Self.folder + part + ".events.ndjson"), as: UTF8.self)
    let prefix = part.replacing("/", with: ".") + "."
    return try text.split(separator: "\n").map { line in
      var event = try JSONParser.parse(Array(line.utf8)).objectValue ?? [:]
      for key in ["id", "subject"] {
        if let value = event[key]?.stringValue { event[key] = .string(prefix + value) }
      }
      guard let time = event["time"]?.stringValue.flatMap({ Instant($0) }) else {
        throw Failure("\(part) has an event without a time")
      }
      return (time, .object(event))
    }
  }
}
