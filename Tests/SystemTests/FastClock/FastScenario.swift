import CivilTime
import Glibc
import JSON
import Testing

/// Recorded events, which the real service handles at high speed, and `chimed simulate` simulates.
struct FastScenario: Sendable, CustomTestStringConvertible {
  let name: String
  let catalog: String
  /// The names of the recordings that this scenario combines. They share no recipients.
  private let recordings: [String]
  /// The span after the first event that is tested; nil for the whole scenario.
  private let span: TimeSpan?

  var testDescription: String { name }

  /// By default, three days that exercise the gates, together with `BusyPerson`.
  ///
  /// `CHIMED_FAST_CLOCK` chooses another scenario, such as `gates/1`, or `all`. Some take hours.
  static var testedScenarios: [FastScenario] {
    guard let name = Project.variable("CHIMED_FAST_CLOCK") else {
      return [FastScenario("three days of the gates", gatesCatalog, days, .days(3))]
    }
    let gates = (1...8).map { FastScenario("gates/\($0)", gatesCatalog, ["gates/\($0)"]) }
    let allScenarios =
      [FastScenario("gates/days", gatesCatalog, days)] + gates
      + (1...12).map { FastScenario("\($0)", "imanpath", ["\($0)"]) }
    return allScenarios.filter { [$0.name, "all"].contains(name) }
  }

  private static let days = [
    "p7-e5", "v10-evening", "v11-zone", "v4-vacation", "v5-cancelled", "v5-digest", "v5-interval",
    "v5-slot", "v5-waiting", "v6-channels", "v6-twins", "v9-weekdays",
  ].map { "gates/" + $0 }

  private static let folder = Project.root + "/Tests/SimulationTests/Scenarios/"
  private static let gatesCatalog = folder + "gates/gates.yaml"

  private init(_ name: String, _ catalog: String, _ recordings: [String], _ span: TimeSpan? = nil) {
    (self.name, self.catalog, self.recordings, self.span) = (name, catalog, recordings, span)
  }

  /// Returns the events in order, grouped by instant. A scenario with a span includes `BusyPerson`.
  func groups() throws -> [(time: Instant, events: [JSONValue])] {
    var groups: [(time: Instant, events: [JSONValue])] = []
    let busy = span == nil ? [] : try BusyPerson.events()
    let events = try (recordings.flatMap(events) + busy).sorted { $0.time < $1.time }
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

  /// Returns the end of the tested span.
  func end(after first: Instant) throws -> Instant {
    if let span { return first + span }
    let ends = try recordings.compactMap { recording in
      let file = Self.folder + recording + ".until"
      let text = String(decoding: try Files.read(file), as: UTF8.self)
      return Instant(text.filter { !$0.isWhitespace })
    }
    return ends.max() ?? first
  }

  /// Returns the events of a recording. Its name is put before every id and recipient, so that no
  /// two recordings share one.
  private func events(of recording: String) throws -> [(time: Instant, event: JSONValue)] {
    let text = String(
      decoding: try Files.read(Self.folder + recording + ".events.ndjson"), as: UTF8.self)
    let prefix = recording.replacing("/", with: ".") + "."
    return try text.split(separator: "\n").map { line in
      var event = try JSONParser.parse(Array(line.utf8)).objectValue ?? [:]
      for key in ["id", "subject"] {
        if let value = event[key]?.stringValue { event[key] = .string(prefix + value) }
      }
      guard let time = event["time"]?.stringValue.flatMap({ Instant($0) }) else {
        throw Failure("\(recording) has an event without a time")
      }
      return (time, .object(event))
    }
  }
}
