import API
import Access
import CivilTime
import Engine
import PostgresStore
import Reminders
import SQLiteStore
import Sinks
import SocketLocation
import Store
import Systemd

/// A valid configuration that has not been applied yet.
struct Candidate: Sendable {
  let setup: ServiceSetup
  let stateDirectory: String
  let planner: Planner
  let rules: WebTokenRules?
  let fixed: FixedSettings
  let specifications: [SinkSpecification]
  /// The changes from the running sinks.
  let changes: SinkChanges
  /// Why sinks cannot be created; those sinks are unavailable (rule S9).
  let outages: [any Error]
  /// The settings for display.
  let shown: ShownConfiguration
  /// The content of each file of the configuration, by path.
  let files: [String: [UInt8]]

  /// Reads and checks a configuration without changes.
  ///
  /// - Parameters:
  ///   - registry: the running sinks; unchanged ones are not checked.
  ///   - isLenient: whether sinks may be unavailable, as at a start.
  /// - Throws: all faults.
  init(
    _ command: ServeCommand, from files: SettingsFiles, after registry: SinkRegistry = .empty,
    zones: ZoneDatabase, credentials: Credentials, isLenient: Bool = false
  ) throws(UnsoundConfiguration) {
    var reading = ConfigurationReading(command, from: files, zones: zones)
    let setup = reading.setup
    let specifications = setup.delivery.sinks.map { $0.specification(credentials: credentials) }
    let changes = SinkChanges(from: registry.specifications, to: specifications)
    reading.checkSinks(except: changes.kept + registry.unavailable, credentials)
    var flaws = reading.flaws
    let directory = flaws.part { try setup.requiredStateDirectory() }
    let fixed = flaws.part { try FixedSettings(setup) }
    guard flaws.isSound || isLenient && flaws.faults.isEmpty,
      let planner = reading.planner, let fixed, let directory
    else { throw flaws }
    (self.setup, self.planner, self.fixed) = (setup, planner, fixed)
    (self.specifications, self.changes) = (specifications, changes)
    outages = flaws.outages
    shown = reading.shown
    rules = reading.rules
    stateDirectory = directory
    self.files = files.read
  }
}

extension Candidate {
  /// Opens the configured store when called.
  var opensStore: @Sendable () throws(StoreError) -> any Store {
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
      "clock": "\(setup.clockPatience)",
      "hosts": setup.access.host.joined(separator: " "),
    ]
  }

  /// Returns the names of the settings that differ, as in the configuration file.
  func differences(from other: FixedSettings) -> [String] {
    settings.keys.filter { settings[$0] != other.settings[$0] }.sorted()
  }
}
