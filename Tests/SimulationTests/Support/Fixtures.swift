import CivilTime
import Foundation
import Holidays
import JSON
import Reminders
import Testing

/// Sets up simulations: the shipped catalog, the system's zones, and events from text.
enum Fixtures {
  /// The directory of all tests.
  private static let folder = URL(filePath: #filePath).appending(path: "../../..").standardized

  private static let zones = Result { try ZoneDatabase(generation: 1) }

  private static let imanpath = Result {
    let file = "../config/catalogs/imanpath.yaml"
    return try Catalog(reading: [CatalogSource(file: file, text: text(of: file))])
  }

  static func planner(defaultZone: String = "UTC") throws -> Planner {
    let zones = try zones.get()
    return Planner(
      catalog: try imanpath.get(), zones: zones, defaultZone: try zones.zone(named: defaultZone))
  }

  /// - Parameter catalog: the text of a catalog.
  static func planner(catalog: String) throws -> Planner {
    let zones = try zones.get()
    return Planner(
      catalog: try Catalog(reading: [CatalogSource(file: "test.yaml", text: catalog)]),
      zones: zones, defaultZone: try zones.zone(named: "UTC"))
  }

  private static let gates = Result {
    let file = "SimulationTests/Scenarios/gates/gates.yaml"
    let catalog = try Catalog(reading: [CatalogSource(file: file, text: text(of: file))])
    let directory = folder.appending(path: "../config/holidays").standardized.path
    return Planner(
      catalog: catalog, zones: try zones.get(), defaultZone: try zones.get().zone(named: "UTC"),
      holidays: try HolidayDatabase(directory: directory))
  }

  /// Returns the planner of the gate scenarios, with the shipped holidays.
  static func gatesPlanner() throws -> Planner { try gates.get() }

  /// - Parameter file: the path, relative to the directory of all tests.
  static func text(of file: String) throws -> String {
    try String(contentsOf: folder.appending(path: file).standardized, encoding: .utf8)
  }

  static func lines(of text: String) throws -> [JSONValue] {
    let parser = JSONParser()
    return try text.split(separator: "\n").map { try parser.parse(String($0)) }
  }

  /// Returns the events of a table of recipients, times, types and data.
  static func events(
    _ table: [(recipient: String, time: String, type: String, data: JSONValue)], _ planner: Planner
  ) throws -> [Event] {
    let reader = EventReader(planner: planner)
    return try table.enumerated().map { index, row in
      try reader.event(
        [
          "specversion": "1.0", "id": .string("\(index)"), "source": "test",
          "type": .string(row.type), "subject": .string(row.recipient),
          "time": .string(row.time), "data": row.data,
        ], now: nil)
    }
  }

  /// Returns the lines that `chimed simulate` prints.
  static func timeline(
    _ events: [Event], _ planner: Planner, until: String, isExplained: Bool = false,
    by loop: Simulation.Loop = { count, body in (0..<count).forEach(body) }
  ) throws -> [JSONValue] {
    let end = try #require(Instant(until))
    var simulation = Simulation(planner: planner, events: events, until: end)
    var writer = JSONWriter()
    try simulation.run(by: loop) { entries in
      for entry in entries { entry.write(to: &writer, isExplained: isExplained) }
    }
    return try lines(of: String(decoding: writer.bytes, as: UTF8.self))
  }
}
