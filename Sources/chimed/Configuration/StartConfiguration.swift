import CivilTime
import Foundation
import Reminders
import Sinks
import Systemd

/// What a start runs with: the configuration as it is or, if that is not sound, the last that was
/// (rule S6).
struct StartConfiguration {
  let candidate: Candidate
  /// Why it is not as it is; nil if it is.
  let substitution: Substitution?
  /// Whether all of it is sound, so that it may be kept.
  let isSound: Bool

  /// The last sound configuration in the place of one that is not.
  struct Substitution {
    let flaws: UnsoundConfiguration
    /// When the one that is in force was kept.
    let at: Instant
    /// The names of the secrets that it takes, which were not kept.
    let credentials: [String]
  }

  /// - Throws: everything that is wrong, if none that was sound can be used either.
  init(_ command: ServeCommand, zones: ZoneDatabase, credentials: Credentials) throws {
    let flaws: UnsoundConfiguration
    do throws(UnsoundConfiguration) {
      candidate = try Candidate(
        command, from: SettingsFiles(), zones: zones, credentials: credentials, isLenient: true)
      (substitution, isSound) = (nil, candidate.outages.isEmpty)
      return
    } catch {
      flaws = error
    }
    do {
      let kept = try Self.kept(for: command)
      candidate = try Candidate(
        command, from: SettingsFiles(kept: kept.files), zones: zones, credentials: credentials,
        isLenient: true)
      let names = candidate.setup.delivery.sinks.flatMap(\.credentialNames)
      substitution = Substitution(flaws: flaws, at: kept.at, credentials: names)
    } catch {
      throw NothingToRunWith(flaws: flaws, obstacle: error)
    }
    isSound = false
  }

  private static func kept(for command: ServeCommand) throws -> KeptConfiguration {
    guard let directory = stateDirectory(of: command) else {
      throw ServiceSetup.missingStateDirectory
    }
    return try KeptConfiguration.read(from: directory)
  }

  /// The state directory, also of a configuration that is not sound; nil if none is named.
  static func stateDirectory(of command: ServeCommand) -> String? {
    if let directory = place(command) { return directory }
    return ConfigurationFile.look(at: command.config, in: SettingsFiles()).0.stateDirectory
  }

  /// The directory in which configurations are kept.
  static func place(_ command: ServeCommand, with setup: ServiceSetup) -> String? {
    place(command) ?? setup.stateDirectory
  }

  /// What stands in a file that may not be sound is asked last.
  private static func place(_ command: ServeCommand) -> String? {
    command.stateDirectory ?? ProcessInfo.processInfo.environment["STATE_DIRECTORY"]
  }
}

/// A configuration that is not sound, where none that was can be used.
struct NothingToRunWith: Error, CustomStringConvertible {
  let flaws: UnsoundConfiguration
  /// Why the one that was kept is of no use.
  let obstacle: any Error

  var description: String { "\(flaws)\nand none that was sound can be used: \(obstacle)" }
}

/// Everything that is wrong with a configuration; each thing with its place where it has one.
struct UnsoundConfiguration: Error, CustomStringConvertible {
  /// What is wrong in the files and the options.
  private(set) var faults: [any Error] = []
  /// What sinks lack of what they need: a secret, a program, a directory.
  private(set) var outages: [any Error] = []

  var isSound: Bool { faults.isEmpty && outages.isEmpty }

  var description: String { lines.joined(separator: "\n") }

  /// Each once.
  var lines: [String] {
    (faults + outages).map { "\($0)" }.reduce(into: []) { lines, line in
      if !lines.contains(line) { lines.append(line) }
    }
  }

  mutating func add(_ fault: any Error) { faults.append(fault) }

  mutating func add(outage: any Error) { outages.append(outage) }

  /// Reads a part, and goes on if that fails.
  @discardableResult
  mutating func part<Value>(_ read: () throws -> Value) -> Value? {
    do {
      return try read()
    } catch {
      add(error)
      return nil
    }
  }
}
