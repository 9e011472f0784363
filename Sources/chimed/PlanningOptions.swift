import ArgumentParser
import CivilTime
import Foundation
import Holidays
import Reminders

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
