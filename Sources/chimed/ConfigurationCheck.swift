import API
import ArgumentParser
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
  let command: ServeCommand

  /// What would keep the service from starting, all of it at once; each with its place where it
  /// has one.
  func problems() -> [String] {
    let (file, diagnostics) = ConfigurationFile.look(at: command.config)
    var problems = diagnostics.map { "\($0)" }
    func check(_ look: () throws -> Void) {
      do { try look() } catch { problems.append("\(error)") }
    }
    let setup: ServiceSetup
    do { setup = try ServiceSetup(command, file) } catch { return problems + ["\(error)"] }
    let planning = setup.planning
    check {
      let zones = try ZoneDatabase(generation: 1)
      do {
        _ = try zones.zone(named: planning.zoneName)
      } catch {
        problems.append("the default zone: \(error)")
      }
    }
    check { _ = try CatalogFiles.standard.catalog(planning.catalog) }
    check { _ = try planning.holidayDatabase() }
    for sink in setup.delivery.sinks {
      check { try sink.check(credentials: .inherited()) }
    }
    check { try APIServer.check(socket: setup.location.path) }
    check { try checkSocketDirectory(setup.location) }
    check { try SQLiteStore.check(directory: setup.stateDirectory) }
    return problems
  }

  private func checkSocketDirectory(_ location: SocketLocation) throws {
    if let own = location.directory {
      // Where it is missing the service makes it.
      guard Glibc.access(own.path, F_OK) == 0 else { return try checkParent(of: own.path) }
      try own.check(for: getuid())
    }
    try checkParent(of: location.path)
  }

  private func checkParent(of path: String) throws {
    try WritableFile.checkDirectory(WritableFile.parent(of: path))
  }
}
