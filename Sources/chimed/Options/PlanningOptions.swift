import ArgumentParser
import CivilTime
import Foundation
import Holidays
import Outbox
import Reminders
import Sinks

/// What planning goes by, the same for the service and for a simulation.
struct PlanningOptions: ParsableArguments {
  @Option(help: "A catalog's name or file; may be repeated.")
  var catalog: [String] = []

  @Option(help: "The zone of recipients who have none; UTC if absent.")
  var defaultZone: String?

  @Option(
    help: ArgumentHelp(
      "A directory of public holidays, an iCalendar file for each region; the shipped ones if "
        + "absent.", valueName: "directory"))
  var holidays: String?

  @Option(
    help: ArgumentHelp(
      "An iCalendar file of days that are free for everyone; may be repeated.",
      valueName: "file"))
  var daysOff: [String] = []

  @Option(
    help: ArgumentHelp(
      "What has to be known of a person to reach them, such as push=device, email=email or "
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

/// `push=device`: what `--requires` may say.
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

/// What `--sink` may say: one sink for every channel.
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
  /// Where a catalog that is given by its name is looked for, in order.
  let directories: [String]

  private let files: SettingsFiles

  static func standard(_ files: SettingsFiles) -> CatalogFiles {
    let environment = ProcessInfo.processInfo.environment["CHIMED_CATALOGS"]
    let given = environment.map { $0.split(separator: ":").map(String.init) } ?? []
    return CatalogFiles(
      directories: given + ["/etc/chimed/catalogs", "/usr/share/chimed/catalogs"], files: files)
  }

  /// - Throws: everything that is wrong in any of the files, or with finding them.
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
    // What is wrong in the others may follow from what is missing, but for the rest there is no
    // second run.
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
