import Access
import CivilTime
import Reminders
import Sinks
import Systemd

/// A configuration that was read and found sound; nothing of it is in force yet.
struct Proposal: Sendable {
  let setup: ServiceSetup
  let stateDirectory: String
  let planner: Planner
  let rules: WebTokenRules?
  let fixed: FixedSettings
  let blueprints: [SinkBlueprint]
  /// From those that run.
  let changes: SinkChanges
  /// The content of each file that it was read from, by its path.
  let files: [String: [UInt8]]

  /// Touches nothing.
  ///
  /// - Parameters:
  ///   - roster: the sinks that run, of which those that stay as they are are not looked at.
  ///   - isLenient: whether what sinks lack is no fault.
  /// - Throws: everything that is wrong with it.
  init(
    _ command: ServeCommand, from files: SettingsFiles, after roster: SinkRoster = .empty,
    zones: ZoneDatabase, credentials: Credentials, isLenient: Bool = false
  ) throws(UnsoundConfiguration) {
    var reading = ConfigurationReading(command, from: files, zones: zones)
    let setup = reading.setup
    let blueprints = setup.delivery.sinks.map { $0.blueprint(credentials: credentials) }
    let changes = SinkChanges(from: roster.blueprints, to: blueprints)
    reading.checkSinks(except: changes.kept, credentials)
    var flaws = reading.flaws
    let directory = flaws.part { try setup.requiredStateDirectory() }
    let fixed = flaws.part { try FixedSettings(setup) }
    guard flaws.isSound || isLenient && flaws.faults.isEmpty,
      let planner = reading.planner, let fixed, let directory
    else { throw flaws }
    (self.setup, self.planner, self.fixed) = (setup, planner, fixed)
    (self.blueprints, self.changes) = (blueprints, changes)
    rules = reading.rules
    stateDirectory = directory
    self.files = files.read
  }
}
