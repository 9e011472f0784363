import ArgumentParser
import CivilTime
import Dispatch
import Foundation
import Holidays
import JSON
import Reminders
import Sinks
import chimectl

/// Runs planning and gates over a file of events on a virtual clock (rule L1).
struct SimulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Print the timeline of events, without network, sinks or service.")

  @Option(help: "The last instant of the simulation, such as 2026-03-01T00:00:00Z.")
  var until: Instant

  @Option(
    help: ArgumentHelp(
      "The service's configuration file, for catalogs, policies, zone and holidays.",
      valueName: "file"))
  var config: String?

  @OptionGroup var planning: PlanningOptions

  @Flag(help: "Add the verdict of every gate to each line.")
  var explain = false

  @Flag(help: "Keep each row on one line, even if the terminal is narrow.")
  var full = false

  @Option(
    help: ArgumentHelp(
      "Also draw one recipient's days into this SVG file.", valueName: "file"))
  var chart: String?

  @Argument(help: "A file of events, one JSON object per line; standard input if absent.")
  var events: String?

  func run() throws {
    ServiceSignals.unblock()
    do {
      try simulate()
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      throw ExitCode(Self.exitCode(of: error))
    }
  }

  /// Returns the exit code of an error, as in sysexits(3).
  private static func exitCode(of error: any Error) -> Int32 {
    switch error {
    case is CatalogErrors, is ConfigurationErrors, is HolidayErrors: 78
    case is UnknownZoneError, is ValidationError: 64
    case is UnreadableFileError: 66
    case is UnwritableChartError: 73
    default: 70
    }
  }

  private func planner(_ files: SettingsFiles) throws -> Planner {
    let file = try ConfigurationFile.read(config, in: files)
    let options = planning.completed(by: file, requirements: file.delivery.requirements)
    guard !options.catalog.isEmpty else {
      throw ValidationError("Missing --catalog, or catalogs in the file that --config names.")
    }
    return try options.planner(zones: ZoneDatabase(generation: 1), from: files, file.policies)
  }

  private func simulate() throws {
    let planner = try planner(SettingsFiles())
    let (events, flaws) = try EventFile(path: events).events(EventReader(planner: planner))
    Self.printRejected(flaws)
    var timelineChart =
      chart == nil ? nil : try TimelineChart(of: events, until: until, planner: planner)
    var simulation = Simulation(planner: planner, events: events, until: until)
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var output = TimelineOutput(
      screen: isTerminal ? Console.screen(isFull: full) : nil, isExplained: explain)
    let progress = Progress(isShown: Console.showsProgress && !isTerminal)
    try simulation.run(by: DispatchQueue.concurrentPerform) { entries in
      output.write(entries)
      timelineChart?.add(entries)
      if let last = entries.last { progress.show("at \(last.at), until \(until)") }
    }
    output.finish()
    progress.clear()
    if let chart { try timelineChart?.write(to: chart) }
    Self.printRejected(simulation.refused)
  }

  /// Prints each rejected event. The simulation omits these events (rule E5).
  private static func printRejected(_ refused: [some CustomStringConvertible]) {
    for item in refused { FileHandle.standardError.write(Data("refused: \(item)\n".utf8)) }
  }
}

/// A file of events, one JSON object per line.
struct EventFile {
  /// The file's path; nil for standard input.
  let path: String?

  /// Returns the valid events of the file, and a flaw for each other line.
  func events(_ reader: EventReader) throws -> (events: [Event], flaws: [LineFlaw]) {
    let bytes = try contents()
    let parser = JSONParser()
    var (events, flaws): ([Event], [LineFlaw]) = ([], [])
    bytes.withUnsafeBytes { buffer in
      for line in JSONLines(buffer) {
        let text = UnsafeRawBufferPointer(rebasing: buffer[line.range])
        do {
          events.append(try reader.event(try parser.parse(text), now: nil))
        } catch {
          flaws.append(LineFlaw(file: path ?? "standard input", line: line.number, cause: error))
        }
      }
    }
    return (events, flaws)
  }

  private func contents() throws -> Data {
    guard let path else { return FileHandle.standardInput.readDataToEndOfFile() }
    guard let contents = FileManager.default.contents(atPath: path) else {
      throw UnreadableFileError(path: path)
    }
    return contents
  }
}

struct UnreadableFileError: Error, CustomStringConvertible {
  let path: String

  var description: String { "\(path) cannot be read; give a file with one event per line" }
}

/// Why a line is not a valid event.
struct LineFlaw: CustomStringConvertible {
  let file: String
  let line: Int
  let cause: any Error

  var description: String { "\(file):\(line): \(cause)" }
}

/// Prints a timeline: as NDJSON, or on a terminal as a table with each recipient's local times.
struct TimelineOutput {
  /// The terminal; nil if a program reads the output.
  let screen: Screen?
  let isExplained: Bool
  private var rows: [TimelineEntry] = []

  /// The maximum number of rows in one table. Each table has its own widths of columns.
  private static let tableRowsMax = 1_000

  init(screen: Screen?, isExplained: Bool) {
    self.screen = screen
    self.isExplained = isExplained
  }

  mutating func write(_ entries: [TimelineEntry]) {
    guard screen == nil else {
      rows += entries
      return rows.count < Self.tableRowsMax ? () : finish()
    }
    for lines in entries.lines(isExplained: isExplained, by: DispatchQueue.concurrentPerform) {
      Console.printPart(lines)
    }
  }

  /// Prints the remaining rows.
  mutating func finish() {
    guard let screen, !rows.isEmpty else { return }
    var table = Table(header: ["LOCAL TIME", "RECIPIENT", "REMINDER", "BY", "TITLE", "NOTE"])
    for entry in rows {
      table.add([
        "\(entry.zone.local(at: entry.at)) \(entry.zone.abbreviation(at: entry.at))",
        entry.recipient, entry.message.reminder, entry.channel.name, entry.message.title,
        Self.note(entry),
      ])
    }
    rows = []
    Console.printPart(Array(table.text(on: screen).utf8))
  }

  /// Returns a text such as "dropped by expired" or "held by quiet_hours from 2026-03-02 22:30".
  private static func note(_ entry: TimelineEntry) -> String {
    let reasons = entry.trace.reasons.joined(separator: ", ")
    if entry.outcome == .dropped { return "dropped by \(reasons)" }
    return reasons.isEmpty
      ? "" : "held by \(reasons) from \(entry.zone.local(at: entry.planned))"
  }
}
