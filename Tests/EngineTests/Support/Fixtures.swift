import CivilTime
import Foundation
import Holidays
import JSON
import Reminders
import Testing

/// Catalogs, zones and planners for test services.
enum Fixtures {
  private static let catalogs = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../../config/catalogs").standardized

  private static let zones = Result { try ZoneDatabase(generation: 1) }

  private static let imanpath = Result { try Catalog(reading: [shipped("imanpath")]) }

  private static let smartCatalog = Result {
    try Catalog(reading: [
      shipped("imanpath"), CatalogSource(file: "habits.yaml", text: notes(trigger: "smart: true")),
    ])
  }

  private static func shipped(_ name: String) throws -> CatalogSource {
    let file = catalogs.appending(path: "\(name).yaml")
    return CatalogSource(file: file.path, text: try String(contentsOf: file, encoding: .utf8))
  }

  /// Returns a planner with the shipped `imanpath` and a reminder with smart timing.
  static func smartPlanner() throws -> Planner {
    let zones = try zones.get()
    return Planner(
      catalog: try smartCatalog.get(), zones: zones, defaultZone: try zones.zone(named: "UTC"))
  }

  /// Returns the text of a file in the directory of the scenarios.
  static func scenario(_ file: String) throws -> String {
    let folder = catalogs.appending(path: "../../Tests/SimulationTests/Scenarios").standardized
    return try String(contentsOf: folder.appending(path: file), encoding: .utf8)
  }

  private static let gates = Result {
    let holidays = catalogs.appending(path: "../holidays").standardized.path
    return Planner(
      catalog: try read(scenario("gates/gates.yaml")), zones: try zones.get(),
      defaultZone: try zones.get().zone(named: "UTC"),
      holidays: try HolidayDatabase(directory: holidays))
  }

  /// Returns the planner of the gate scenarios, with the shipped holidays.
  static func gatesPlanner() throws -> Planner { try gates.get() }

  /// Returns the text of a shipped catalog.
  static func text(of name: String) throws -> String {
    try shipped(name).text
  }

  /// - Parameter catalog: The text of a catalog; the shipped `imanpath` if nil.
  static func planner(catalog: String? = nil, defaultZone: String = "UTC") throws -> Planner {
    let zones = try zones.get()
    return Planner(
      catalog: try catalog.map(read) ?? imanpath.get(), zones: zones,
      defaultZone: try zones.zone(named: defaultZone))
  }

  private static func read(_ text: String) throws -> Catalog {
    try Catalog(reading: [CatalogSource(file: "test.yaml", text: text)])
  }

  /// Returns the text of a catalog with one daily reminder.
  static func notes(
    reminder: String = "note", at time: String = "12:00", channels: String = "push: true",
    urgency: String = "normal", expires: String = "12h", trigger: String = ""
  ) -> String {
    """
    catalog: notes
    categories:
      NOTE: {title: Notes, urgency: \(urgency), channels: {\(channels)}}
    groups:
      notes: {enabled: true, time: "\(time)"}
    reminders:
      \(reminder):
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        \(trigger)
        expires: \(expires)
        messages: [{title: Note, body: A note.}]
    """
  }

  /// A catalog of visits that notifies a carer when a visit is late.
  static let visits = """
    catalog: visits
    events:
      booked: {visit: identifier, at: instant, carer: recipient?}
      begun: {visit: identifier, carer: recipient?}
    categories:
      VISIT: {title: Visits, channels: {push: true}}
    groups:
      visits: {enabled: true}
    reminders:
      late:
        to: carer
        category: VISIT
        group: visits
        past: {event: booked, at: at, by: 30m}
        cancel: begun
        expires: 2h
        messages: [{title: Late, body: "{{visit}}"}]
    """

  /// A catalog that notifies at once of each visit, unless it is done.
  static func shortVisits(expires: String) -> String {
    """
    catalog: visits
    events: {visit: {visit: identifier}, done: {visit: identifier}}
    categories:
      VISIT: {title: Visits, channels: {push: true}}
    groups:
      visits: {enabled: true}
    reminders:
      visit:
        category: VISIT
        group: visits
        on: {event: visit, delay: 1s}
        cancel: done
        expires: \(expires)
        messages: [{title: Visit, body: A visit.}]
    """
  }

  static func event(
    _ identifier: String, _ type: String, of recipient: String, at time: Instant,
    _ data: JSONValue = [:], planner: Planner
  ) throws -> Event {
    try EventReader(planner: planner).event(
      [
        "specversion": "1.0", "id": .string(identifier), "source": "test", "type": .string(type),
        "subject": .string(recipient), "time": .string(time.description), "data": data,
      ], now: nil)
  }
}

/// Returns the instant of a text such as "2026-03-02 21:00", with or without seconds, in UTC.
func utc(_ text: String) throws -> Instant {
  let dateTime = text.replacing(" ", with: "T") + (text.count > 16 ? "" : ":00") + "Z"
  return try #require(Instant(dateTime), "\"\(text)\" is not an instant")
}
