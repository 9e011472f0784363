import API
import Access
import CivilTime
import Engine
import PostgresStore
import Reminders
import SQLiteStore
import Sinks
import Store
import Systemd

/// A valid configuration that has not been applied yet.
struct Candidate: Sendable {
  let setup: ServiceSetup
  let stateDirectory: String
  let planner: Planner
  /// The rules for verifying JSON Web Tokens; nil if none are accepted.
  let rules: WebTokenRules?
  /// The settings that only a restart can change.
  let fixed: FixedSettings
  /// The specifications of the configured sinks, in the order of `setup.delivery.sinks`.
  let specifications: [SinkSpecification]
  /// How the configured sinks differ from the running ones.
  let changes: SinkChanges
  /// The reasons why sinks cannot be created (rule S9); empty if all sinks can be created.
  let flaws: InvalidConfigurationError
  /// The settings for display.
  let shown: ShownConfiguration
  /// The content of each file of the configuration, by path.
  let files: [String: [UInt8]]

  /// Reads and checks a configuration; nothing is changed.
  ///
  /// - Parameters:
  ///   - registry: the running sinks.
  ///   - checksAllSinks: whether to check running sinks that stay unchanged, too.
  /// - Throws: all faults of an invalid configuration. A configuration is valid if its only faults
  ///   are secrets, files or programs that sinks lack; then they are in ``flaws``.
  init(
    _ command: ServeCommand, from files: SettingsFiles, after registry: SinkRegistry = .empty,
    checksAllSinks: Bool = false, zones: ZoneDatabase, credentials: Credentials
  ) throws(InvalidConfigurationError) {
    var reading = ConfigurationReading(command, from: files, zones: zones)
    let setup = reading.setup
    let specifications = setup.delivery.sinks.map { $0.specification(credentials: credentials) }
    let changes = SinkChanges(from: registry.specifications, to: specifications)
    reading.checkSinks(except: checksAllSinks ? [] : changes.unchanged, credentials)
    var flaws = reading.flaws
    let directory = flaws.recordingFault { try setup.requiredStateDirectory() }
    let fixed = flaws.recordingFault { try FixedSettings(setup) }
    guard flaws.faults.isEmpty, let planner = reading.planner, let fixed, let directory
    else { throw flaws }
    (self.setup, self.planner, self.fixed) = (setup, planner, fixed)
    (self.specifications, self.changes) = (specifications, changes)
    self.flaws = flaws
    shown = reading.shown
    rules = reading.rules
    stateDirectory = directory
    self.files = files.readContents
  }
}

extension Candidate {
  /// Returns the planner for the running sinks, which may differ from the sinks in the files.
  ///
  /// - Parameter options: the requirements of the command line, which override those of sinks.
  func planner(
    for delivery: DeliveryConfiguration, _ options: [Channel: Requirement]
  ) -> Planner {
    let requirements = delivery.requirements.merging(options) { $1 }
    guard requirements != planner.requirements else { return planner }
    return Planner(
      catalog: planner.catalog, zones: planner.zones, defaultZone: planner.defaultZone,
      holidays: planner.holidays, requirements: requirements,
      unroutedChannels: planner.unroutedChannels)
  }

  /// The function that opens the configured store.
  var openStore: @Sendable () throws(StoreError) -> any Store {
    guard let database = setup.database else { return SQLiteStore.opening(stateDirectory) }
    return { () throws(StoreError) in
      try PostgresStore(database, node: HostName.current, at: WallClock.now())
    }
  }
}

/// The settings that only a restart can change, because listeners and store are open.
struct FixedSettings: Hashable, Sendable {
  private let settings: [String: String]

  init(_ setup: ServiceSetup) throws {
    settings = [
      "state-directory": setup.stateDirectory ?? "", "store": setup.database?.location ?? "",
      "fleet": setup.fleet.map(\.text) ?? "",
      "socket": setup.location.path,
      "listen": try setup.access.address().map { "\($0)" } ?? "",
      "console": setup.console.map { "\($0.images)" } ?? "false",
      "clock": "\(setup.clockTrustAfter)", "tracing": setup.tracing.map(\.text) ?? "",
      "audit": setup.auditShare.map { "\($0)" } ?? "",
      "hosts": setup.access.host.joined(separator: " "),
      "interfaces": setup.interfaceNames,
      "public-url": setup.publicURL?.description ?? "",
      "origins": setup.origins.map(\.description).joined(separator: " "),
    ]
  }

  /// Returns the names of the settings that differ, as in the configuration file.
  func differences(from other: FixedSettings) -> [String] {
    settings.keys.filter { settings[$0] != other.settings[$0] }.sorted()
  }
}
