import API
import Access
import CivilTime
import Delivery
import Reminders
import Sinks
import Systemd

/// A configuration that was read anew and found sound; nothing of it is in force yet.
struct Proposal: Sendable {
  let setup: ServiceSetup
  let planner: Planner
  let rules: WebTokenRules?
  let blueprints: [SinkBlueprint]
  let changes: SinkChanges
  /// What has changed and is taken in by a restart alone.
  let restart: [String]

  /// Touches nothing.
  ///
  /// - Throws: everything that is wrong with it.
  init(
    _ command: ServeCommand, after roster: SinkRoster, since start: FixedSettings,
    zones: ZoneDatabase, credentials: Credentials
  ) throws(ReloadRejected) {
    let (file, diagnostics) = ConfigurationFile.look(at: command.config)
    var faults = Faults(diagnostics.map(\.description))
    let setup = faults.part { try ServiceSetup(command, file) }
    var planner: Planner?
    var rules: WebTokenRules?
    var fixed: FixedSettings?
    if let setup {
      planner = Self.planner(setup, zones, &faults)
      rules = faults.part { try setup.access.webTokenRules() } ?? nil
      fixed = faults.part { try FixedSettings(setup) }
    }
    let declared = setup?.delivery.sinks ?? []
    let blueprints = declared.map { $0.blueprint(credentials: credentials) }
    let changes = SinkChanges(from: roster.blueprints, to: blueprints)
    for sink in declared where !changes.kept.contains(sink.common.name) {
      faults.part { try sink.check(credentials: credentials) }
    }
    guard let setup, let planner, let fixed, faults.all.isEmpty else {
      throw ReloadRejected(faults.all.joined(separator: "\n"))
    }
    (self.setup, self.planner, self.rules) = (setup, planner, rules)
    (self.blueprints, self.changes) = (blueprints, changes)
    restart = fixed.differences(from: start)
  }

  private static func planner(
    _ setup: ServiceSetup, _ zones: ZoneDatabase, _ faults: inout Faults
  ) -> Planner? {
    let planning = setup.planning
    faults.part { _ = try zones.zone(named: planning.zoneName) }
    faults.part { _ = try CatalogFiles.standard.catalog(planning.catalog) }
    faults.part { _ = try planning.holidayDatabase() }
    return faults.part { try setup.planner(zones: zones) }
  }
}

/// What is wrong with the parts of a configuration, each fault once.
private struct Faults {
  private(set) var all: [String]

  init(_ all: [String]) {
    self.all = all
  }

  @discardableResult
  mutating func part<Value>(_ read: () throws -> Value) -> Value? {
    do {
      return try read()
    } catch {
      if !all.contains("\(error)") { all.append("\(error)") }
      return nil
    }
  }
}
