import API
import ArgumentParser
import CivilTime
import Foundation
import Glibc
import SocketLocation
import Store

/// Everything that a start of the service would need, looked at and left as it is (rule S4):
/// nothing is started, made, written, or opened for writing.
struct ConfigurationCheck {
  let command: ServeCommand

  /// What would keep the service from starting, all of it at once; each with its place where it
  /// has one.
  func problems() -> [String] {
    var problems: [String] = []
    func check(_ look: () throws -> Void) {
      do { try look() } catch { problems.append("\(error)") }
    }
    let planning = command.planning
    check {
      let zones = try ZoneDatabase(generation: 1)
      do {
        _ = try zones.zone(named: planning.defaultZone)
      } catch {
        problems.append("--default-zone: \(error)")
      }
    }
    check { _ = try CatalogFiles.standard.catalog(planning.catalog) }
    check { _ = try planning.holidayDatabase() }
    check { try command.sink.check() }
    check { try APIServer.check(socket: command.location.path) }
    check { try checkSocketDirectory() }
    check { try SQLiteStore.check(directory: command.stateDirectory) }
    return problems
  }

  private func checkSocketDirectory() throws {
    let location = command.location
    let parent = location.path.parentDirectory
    if let own = location.directory {
      // Where it is missing the service makes it.
      guard Self.exists(own.path) else { return try Self.checkWritable(own.path.parentDirectory) }
      try own.check(for: getuid())
    }
    try Self.checkWritable(parent)
  }

  // MARK: - Files

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether files can be made in a directory.
  static func checkWritable(_ directory: String) throws(UnusablePath) {
    var status = stat()
    guard stat(directory, &status) == 0, access(directory, W_OK | X_OK) == 0 else {
      throw UnusablePath(directory, "cannot be written to: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw UnusablePath(directory, "is not a directory")
    }
  }
}

/// A path that the configuration names and that would not do.
struct UnusablePath: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ reason: String) {
    description = "\(path) \(reason); give another, or give the service's user the right to it"
  }
}

extension SinkOption {
  fileprivate func check() throws(UnusablePath) {
    guard case .jsonLines(let path) = self, path != "-" else { return }
    guard ConfigurationCheck.exists(path) else {
      return try ConfigurationCheck.checkWritable(path.parentDirectory)
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw UnusablePath(path, "is a directory; the sink needs a file")
    }
    guard access(path, R_OK | W_OK) == 0 else {
      throw UnusablePath(path, "cannot be written to: \(String(cString: strerror(errno)))")
    }
  }
}

extension String {
  /// The directory that holds what the path names.
  fileprivate var parentDirectory: String {
    let parent = (self as NSString).deletingLastPathComponent
    return parent.isEmpty ? "." : parent
  }
}
