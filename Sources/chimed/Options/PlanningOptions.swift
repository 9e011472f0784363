import ArgumentParser
import CivilTime
import Foundation
import Holidays
import Outbox
import Reminders
import Sinks

/// The planning options, which the service and the simulation share.
struct PlanningOptions: ParsableArguments {
  @Option(help: "A catalog's name or file; may be repeated.")
  var catalog: [String] = []

  @Option(help: "The time zone of recipients without one. Default: UTC.")
  var defaultZone: String?

  @Option(
    help: ArgumentHelp(
      "A directory of public holidays, one iCalendar file per region. Default: the installed "
        + "files.", valueName: "directory"))
  var holidays: String?

  @Option(
    help: ArgumentHelp(
      "An iCalendar file of days off for all recipients; may be repeated.",
      valueName: "file"))
  var daysOff: [String] = []

  @Option(
    help: ArgumentHelp(
      "The data that a channel requires of a recipient, such as push=device, email=email or "
        + "sms=phone; may be repeated.", valueName: "channel=need"))
  var requires: [RequirementOption] = []

  /// The default zone's name.
  var zoneName: String { defaultZone ?? "UTC" }

  var requirements: [Channel: Requirement] {
    Dictionary(requires.map { ($0.channel, $0.requirement) }, uniquingKeysWith: { $1 })
  }

  func planner(zones: ZoneDatabase, from files: SettingsFiles) throws -> Planner {
    Planner(
      catalog: try CatalogFiles.standard(files).catalog(catalog), zones: zones,
      defaultZone: try zones.zone(named: zoneName),
      holidays: try holidayDatabase(from: files), requirements: requirements)
  }

  func holidayDatabase(from files: SettingsFiles) throws -> HolidayDatabase? {
    let shipped =
      ProcessInfo.processInfo.environment["CHIMED_HOLIDAYS"] ?? "/usr/share/chimed/holidays"
    if let holidays { return try files.holidays(in: holidays, extra: daysOff) }
    if files.isThere(shipped) { return try files.holidays(in: shipped, extra: daysOff) }
    guard !daysOff.isEmpty else { return nil }
    throw ValidationError("--days-off needs --holidays: there are none in \(shipped).")
  }
}

/// The argument of `--requires`, such as `push=device`.
struct RequirementOption: ExpressibleByArgument {
  let channel: Channel
  let requirement: Requirement

  init(channel: Channel, requirement: Requirement) {
    self.channel = channel
    self.requirement = requirement
  }

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let channel = Channel(name: parts[0]),
      let requirement = Requirement(rawValue: parts[1])
    else { return nil }
    self.channel = channel
    self.requirement = requirement
  }
}

/// The argument of `--sink`: one sink for every channel.
enum SinkOption: ExpressibleByArgument {
  case journal
  case jsonLines(path: String)

  init?(argument: String) {
    if argument == "journal" {
      self = .journal
    } else if argument.hasPrefix("jsonl:"), argument != "jsonl:" {
      self = .jsonLines(path: String(argument.dropFirst("jsonl:".count)))
    } else {
      return nil
    }
  }

  var configuration: DeliveryConfiguration {
    switch self {
    case .journal: DeliveryConfiguration(single: JournalConfiguration())
    case .jsonLines(let path): DeliveryConfiguration(single: JSONLinesConfiguration(file: path))
    }
  }
}

/// Finds catalog files by name or path.
struct CatalogFiles {
  /// The directories to search for catalogs by name, in order.
  let directories: [String]

  private let files: SettingsFiles

  static func standard(_ files: SettingsFiles) -> CatalogFiles {
    let environment = ProcessInfo.processInfo.environment["CHIMED_CATALOGS"]
    let given = environment.map { $0.split(separator: ":").map(String.init) } ?? []
    return CatalogFiles(
      directories: given + ["/etc/chimed/catalogs", "/usr/share/chimed/catalogs"], files: files)
  }

  /// - Throws: all faults of the files, and missing files.
  func catalog(_ names: [String]) throws(CatalogErrors) -> Catalog {
    var sources: [CatalogSource] = []
    var missing: [Diagnostic] = []
    for name in names {
      do throws(CatalogErrors) {
        sources.append(try source(name))
      } catch {
        missing += error.diagnostics
      }
    }
    guard !missing.isEmpty else { return try Catalog(reading: sources) }
    // Faults of the others are reported too, because there is no second run. They may follow from
    // the missing ones.
    let others =
      sources.isEmpty ? nil : Result { () throws(CatalogErrors) in try Catalog(reading: sources) }
    if case .failure(let errors)? = others { missing += errors.diagnostics }
    throw CatalogErrors(diagnostics: missing)
  }

  private func source(_ name: String) throws(CatalogErrors) -> CatalogSource {
    let path = try path(name)
    do throws(Diagnostic) {
      return CatalogSource(file: path, text: try files.text(at: path))
    } catch {
      throw CatalogErrors(diagnostics: [error])
    }
  }

  private func path(_ name: String) throws(CatalogErrors) -> String {
    let isPath = name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    let candidates = isPath ? [name] : directories.map { "\($0)/\(name).yaml" }
    if let path = candidates.first(where: files.isThere) { return path }
    let places = isPath ? "" : " (looked in \(directories.joined(separator: ", ")))"
    throw CatalogErrors(diagnostics: [
      Diagnostic(file: name, message: "there is no such catalog\(places)")
    ])
  }
}
