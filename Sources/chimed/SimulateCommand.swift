import ArgumentParser
import CivilTime
import Foundation
import Holidays
import JSON
import Reminders
import Simulation
import Sinks
import chimectl

/// Runs planning and gates over a file of events on a virtual clock (rule L1).
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Print the timeline that events would have: no network, no sinks, no service.")

  @Option(help: "The last instant of the simulation, such as 2026-03-01T00:00:00Z.")
  var until: Instant

  @Option(
    help: ArgumentHelp(
      "The service's configuration file, for catalogs, zone and holidays.", valueName: "file"))
  var config: String?

  @OptionGroup var planning: PlanningOptions

  @Flag(help: "Add to each line what every gate said.")
  var explain = false

  @Flag(help: "Keep each row on one line, however narrow the terminal is.")
  var full = false

  @Argument(help: "The events, one JSON object a line; standard input if absent.")
  var events: String?

  func run() throws {
    ServiceSignals.release()
    do {
      try simulate()
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      throw ExitCode(Self.code(of: error))
    }
  }

  /// By sysexits(3): what was wrong is the catalog, the command line, or the file of events.
  private static func code(of error: any Error) -> Int32 {
    switch error {
    case is CatalogErrors, is ConfigurationErrors, is HolidayErrors: 78
    case is UnknownZone, is ValidationError: 64
    case is UnreadableFile: 66
    default: 70
    }
  }

  private func settled(_ files: SettingsFiles) throws -> PlanningOptions {
    let file = try ConfigurationFile.read(config, in: files)
    let settled = planning.completed(by: file, requirements: file.delivery.requirements)
    guard !settled.catalog.isEmpty else {
      throw ValidationError("Missing --catalog, or catalogs in the file that --config names.")
    }
    return settled
  }

  private func simulate() throws {
    let files = SettingsFiles()
    let planner = try settled(files).planner(zones: ZoneDatabase(generation: 1), from: files)
    let (events, flaws) = try EventFile(path: events).events(EventReader(planner: planner))
    Self.tell(flaws)
    var simulation = Simulation(planner: planner, events: events, until: until)
    let isForPerson = isatty(STDOUT_FILENO) == 1
    var output = TimelineOutput(
      screen: isForPerson ? Console.screen(isFull: full) : nil, isExplained: explain)
    let progress = Progress(isShown: Console.showsProgress && !isForPerson)
    try simulation.run { entries in
      try output.write(entries)
      if let last = entries.last { progress.show("at \(last.at), until \(until)") }
    }
    try output.finish()
    progress.clear()
    Self.tell(simulation.refused)
  }

  /// Rule E5: what was not taken in is named, and harms nothing else.
  private static func tell(_ refused: [some CustomStringConvertible]) {
    for item in refused { FileHandle.standardError.write(Data("refused: \(item)\n".utf8)) }
  }
}
