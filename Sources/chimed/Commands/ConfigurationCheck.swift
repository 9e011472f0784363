import API
import CivilTime
import Engine
import Glibc
import PostgresStore
import Reminders
import SQLiteStore
import Sinks
import Systemd

/// Checks everything that a start of the service needs, without changes (rule S4): nothing is
/// started, created, written, or opened for writing.
struct ConfigurationCheck {
  /// The faults that would prevent a start or make a sink unavailable, with their positions where
  /// known.
  private(set) var problems: [String] = []
  /// The parts that were not checked, because only the service itself has them.
  private(set) var unchecked: [String] = []
  /// Warnings about data that is old, or ends within a year.
  private(set) var warnings: [String] = []

  init(_ command: ServeCommand, now: Instant) {
    let zones: ZoneDatabase
    do {
      let directory = StartConfiguration.stateDirectory(of: command)
      zones = try ZoneDatabase(generation: 1, lastKnown: ZoneKeeper.archive(in: directory))
    } catch {
      problems = ["\(error)"]
      return
    }
    var reading = ConfigurationReading(command, from: SettingsFiles(), zones: zones)
    let isService = getenv("CREDENTIALS_DIRECTORY") != nil
    reading.checkSinks(.inherited(), isService: isService)
    problems = reading.flaws.lines
    unchecked = reading.unchecked
    warnings = reading.planner?.dataWarnings(at: now) ?? []
    if reading.setup.access.listen != nil, SocketUnit.isInstalled {
      warnings.append(
        "listen is not used where systemd passes the sockets (chimed.socket): "
          + SocketUnit.remedy)
    }
    let location = reading.setup.location
    check { _ = try FixedSettings(reading.setup) }
    check { try APIServer.check(socket: location.path) }
    check { _ = try reading.setup.fleet?.forwarding?.membership(now: WallClock.now()) }
    check { try Self.checkSocketDirectory(location) }
    checkState(reading.setup)
  }

  /// Adds an error that `body` throws to the problems.
  private mutating func check(_ body: () throws -> Void) {
    do { try body() } catch { problems.append("\(error)") }
  }

  private mutating func checkState(_ setup: ServiceSetup) {
    if let database = setup.database { return check { try database.check() } }
    guard let directory = setup.stateDirectory else {
      unchecked.append(
        "the state directory, which the service manager sets; give --state-directory")
      return
    }
    check { try SQLiteStore.check(directory: directory) }
  }

  private static func checkSocketDirectory(_ location: SocketLocation) throws {
    if let directory = location.directory {
      // The service creates a missing directory.
      guard Glibc.access(directory.path, F_OK) == 0 else {
        return try checkParent(of: directory.path)
      }
      try directory.check(for: getuid())
    }
    try checkParent(of: location.path)
  }

  private static func checkParent(of path: String) throws {
    try WritableFile.checkDirectory(WritableFile.parent(of: path))
  }
}
