import API
import CivilTime
import Foundation
import Glibc
import Sinks
import SocketLocation
import Store
import Systemd

/// Everything that a start of the service would need, looked at and left as it is (rule S4):
/// nothing is started, made, written, or opened for writing.
struct ConfigurationCheck {
  /// What would keep the service from starting, each with its place where it has one.
  private(set) var problems: [String] = []
  /// What cannot be looked at outside the service.
  private(set) var unchecked: [String] = []

  init(_ command: ServeCommand) {
    let zones: ZoneDatabase
    do {
      zones = try ZoneDatabase(generation: 1)
    } catch {
      problems = ["\(error)"]
      return
    }
    var reading = ConfigurationReading(command, from: SettingsFiles(), zones: zones)
    let isService = getenv("CREDENTIALS_DIRECTORY") != nil
    reading.checkSinks(.inherited(), isService: isService)
    problems = reading.flaws.lines
    unchecked = reading.unchecked
    let location = reading.setup.location
    check { _ = try FixedSettings(reading.setup) }
    check { try APIServer.check(socket: location.path) }
    check { try Self.checkSocketDirectory(location) }
    checkState(reading.setup.stateDirectory)
  }

  private mutating func check(_ look: () throws -> Void) {
    do { try look() } catch { problems.append("\(error)") }
  }

  private mutating func checkState(_ directory: String?) {
    guard let directory else {
      unchecked.append(
        "the state directory, which only the service manager names; give --state-directory")
      return
    }
    check { try SQLiteStore.check(directory: directory) }
  }

  private static func checkSocketDirectory(_ location: SocketLocation) throws {
    if let own = location.directory {
      // Where it is missing the service makes it.
      guard Glibc.access(own.path, F_OK) == 0 else { return try checkParent(of: own.path) }
      try own.check(for: getuid())
    }
    try checkParent(of: location.path)
  }

  private static func checkParent(of path: String) throws {
    try WritableFile.checkDirectory(WritableFile.parent(of: path))
  }
}
