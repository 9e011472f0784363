import API
import CivilTime
import Foundation
import Reminders
import Sinks
import Systemd

/// The configuration of a start: the current one or, if that is invalid, the last valid one (rule
/// S6).
struct StartConfiguration {
  let candidate: Candidate
  /// Why the last valid configuration is used; nil if the current one is used.
  let substitution: Substitution?
  /// Whether the whole configuration is valid, so that it may be saved.
  let isSound: Bool

  /// The use of the last valid configuration instead of the invalid current one.
  struct Substitution {
    /// The faults of the current configuration.
    let flaws: InvalidConfigurationError
    /// When the configuration in use was saved.
    let at: Instant
    /// The names of the configuration's secrets, which were not saved.
    let credentials: [String]
  }

  /// - Throws: all faults, if no saved configuration can be used either.
  init(_ command: ServeCommand, zones: ZoneDatabase, credentials: Credentials) throws {
    /// The faults of the current configuration.
    let flaws: InvalidConfigurationError
    do throws(InvalidConfigurationError) {
      candidate = try Candidate(
        command, from: SettingsFiles(), zones: zones, credentials: credentials)
      (substitution, isSound) = (nil, candidate.flaws.isSound)
      return
    } catch {
      flaws = error
    }
    do {
      let saved = try Self.saved(for: command)
      candidate = try Candidate(
        command, from: SettingsFiles(saved: saved.files), zones: zones, credentials: credentials)
      let names = candidate.setup.delivery.sinks.flatMap(\.credentialNames)
      substitution = Substitution(flaws: flaws, at: saved.at, credentials: names)
    } catch {
      throw NoConfigurationError(flaws: flaws, obstacle: error)
    }
    isSound = false
  }

  private static func saved(for command: ServeCommand) throws -> SavedConfiguration {
    guard let directory = stateDirectory(of: command) else {
      throw ServiceSetup.missingStateDirectory
    }
    return try SavedConfiguration.read(from: directory)
  }

  /// Returns the state directory, also of an invalid configuration; nil if none is specified.
  static func stateDirectory(of command: ServeCommand) -> String? {
    if let directory = givenDirectory(command) { return directory }
    return ConfigurationFile.readWithFaults(at: command.config, in: SettingsFiles()).0
      .stateDirectory
  }

  /// Returns the directory of saved configurations.
  static func savingDirectory(of command: ServeCommand, with setup: ServiceSetup) -> String? {
    givenDirectory(command) ?? setup.stateDirectory
  }

  /// Returns the directory that the command line or the environment gives; nil if neither gives
  /// one.
  ///
  /// Callers try the configuration file last, because it may be invalid.
  private static func givenDirectory(_ command: ServeCommand) -> String? {
    command.stateDirectory ?? ProcessInfo.processInfo.environment["STATE_DIRECTORY"]
  }
}

/// An invalid configuration without a usable saved one.
struct NoConfigurationError: Error, CustomStringConvertible {
  let flaws: InvalidConfigurationError
  /// Why the saved configuration cannot be used.
  let obstacle: any Error

  var description: String { "\(flaws)\nand no earlier configuration can be used: \(obstacle)" }
}

/// All faults of a configuration, with their positions where known.
struct InvalidConfigurationError: Error, CustomStringConvertible {
  /// The faults of the files and the options.
  private(set) var faults: [any Error] = []
  /// The resources that sinks lack: a secret, a program, a directory.
  private(set) var sinkFaults: [any Error] = []

  var isSound: Bool { faults.isEmpty && sinkFaults.isEmpty }

  var description: String { lines.joined(separator: "\n") }

  /// The faults without duplicates.
  var lines: [String] {
    (faults + sinkFaults).map { "\($0)" }.reduce(into: []) { lines, line in
      if !lines.contains(line) { lines.append(line) }
    }
  }

  /// The faults of a rejected configuration, with their positions where known.
  static func faults(of error: any Error) -> [Fault] {
    let errors = (error as? InvalidConfigurationError).map { $0.faults + $0.sinkFaults } ?? [error]
    return errors.flatMap(diagnostics).reduce(into: []) { faults, diagnostic in
      let fault = Fault(diagnostic)
      if !faults.contains(fault) { faults.append(fault) }
    }
  }

  private static func diagnostics(_ error: any Error) -> [Diagnostic] {
    switch error {
    case let diagnostic as Diagnostic: [diagnostic]
    case let errors as CatalogErrors: errors.diagnostics
    case let errors as ConfigurationErrors: errors.diagnostics
    default: [Diagnostic(file: "", message: "\(error)")]
    }
  }

  mutating func add(_ fault: any Error) { faults.append(fault) }

  mutating func add(sinkFault: any Error) { sinkFaults.append(sinkFault) }

  /// Runs a function that reads some settings. If it throws, records the error and returns nil.
  @discardableResult
  mutating func recordingFault<Value>(_ read: () throws -> Value) -> Value? {
    do {
      return try read()
    } catch {
      add(error)
      return nil
    }
  }
}
