import ArgumentParser
import CivilTime
import Foundation
import Holidays
import Reminders
import Sinks

/// The planning options, which the service and the simulation share.
struct PlanningOptions: ParsableArguments {
  @Option(help: "A catalog's name or file; may be repeated.")
  var catalog: [String] = []

  @Option(help: "The time zone of recipients whose zone is unknown. Default: UTC.")
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

  /// The data that each channel requires of a recipient; the last option for a channel counts.
  var requirements: [Channel: Requirement] {
    Dictionary(requires.map { ($0.channel, $0.requirement) }, uniquingKeysWith: { $1 })
  }

  /// Reads the catalogs and the holidays, and creates a planner with the policies.
  func planner(
    zones: ZoneDatabase, from files: SettingsFiles, _ policies: PolicySource?
  ) throws -> Planner {
    Planner(
      catalog: try CatalogFiles.standard(files).catalog(catalog, policies), zones: zones,
      defaultZone: try zones.zone(named: zoneName),
      holidays: try holidayDatabase(from: files), requirements: requirements)
  }

  /// Reads the holidays; returns nil if none are given or installed.
  func holidayDatabase(from files: SettingsFiles) throws -> HolidayDatabase? {
    let installedDirectory =
      ProcessInfo.processInfo.environment["CHIMED_HOLIDAYS"] ?? "/usr/share/chimed/holidays"
    if let holidays { return try files.holidays(in: holidays, extra: daysOff) }
    if files.exists(installedDirectory) {
      return try files.holidays(in: installedDirectory, extra: daysOff)
    }
    guard !daysOff.isEmpty else { return nil }
    throw ValidationError("--days-off needs --holidays: \(installedDirectory) does not exist.")
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

/// The argument of `--sink`: a single sink for all channels.
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
