import ArgumentParser
import Foundation
import PostgresStore
import Store

/// The commands of operators for a store in PostgreSQL.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Manage a store in PostgreSQL.",
    subcommands: [FleetInitCommand.self, FleetImportCommand.self, FleetFinalizeCommand.self])
}

/// Creates the tables of a store in the configured database.
struct FleetInitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Create the tables of a store in an empty database.",
    discussion: """
      Creates the tables in the schema chimed, as the role that the service connects as. The role \
      needs the right to create a schema. Either all tables are created, or none.
      """)

  @OptionGroup var target: DatabaseOption

  @Option(help: "The number of shards, a power of two. It cannot be changed later.")
  var shards = 64

  @Option(
    help: ArgumentHelp(
      "Where acknowledged data must be durable: also on a synchronous standby, if there is one, "
        + "or on the server's own disk only (local).", valueName: "synchronous|local"))
  var durability = Durability.synchronous

  enum Durability: String, ExpressibleByArgument {
    case synchronous, local
  }

  func validate() throws {
    let allowed = PostgresDatabase.shards
    guard allowed.contains(shards), shards & (shards - 1) == 0 else {
      throw ValidationError(
        "--shards must be a power of two from \(allowed.lowerBound) to \(allowed.upperBound).")
    }
  }

  func run() throws {
    try reportingErrors {
      try target.database().create(
        shards: shards, durableLocally: durability == .local)
      print("created the tables of the store; chimed can now start with it")
    }
  }
}

/// The database of a command, which a configuration file names.
struct DatabaseOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A configuration file with store: {postgresql: {url: ...}}.", valueName: "file"))
  var config: String

  func database() throws -> PostgresDatabase {
    guard let location = try ConfigurationFile.read(config, in: SettingsFiles()).database else {
      throw ValidationError(
        "\(config) names no database: add store: {postgresql: {url: \"dbname=...\"}}.")
    }
    return PostgresDatabase(location)
  }
}

extension ParsableCommand {
  /// Runs the body. If the body fails, prints the error and exits with the error's exit code.
  func reportingErrors(_ body: () throws -> Void) throws {
    ServiceSignals.unblock()
    do {
      try body()
    } catch {
      let hint = Self.hint(for: "\(error)").map { "\n" + $0 } ?? ""
      FileHandle.standardError.write(Data("error: \(error)\(hint)\n".utf8))
      throw ExitCode(DaemonExit(error).code)
    }
  }
}

extension ParsableCommand {
  /// Returns a hint if root has no access because the server accepts only the service's user (peer
  /// authentication); nil for other errors. The hint contains the command that would succeed.
  fileprivate static func hint(for error: String) -> String? {
    guard geteuid() == 0,
      error.contains("role \"root\"") || error.contains("Peer authentication failed")
    else { return nil }
    let arguments = CommandLine.arguments.dropFirst().joined(separator: " ")
    return "PostgreSQL accepts the service's user; run: runuser -u chimed -- chimed \(arguments)"
  }
}

/// Raises the storage format of a fleet after every node can read the new format.
struct FleetFinalizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finalize", abstract: "Raise a fleet's storage format to that of its version.",
    discussion: """
      Each version writes the store's current format and also reads the next one. So update the \
      nodes one by one, and run this command after the last. There is only one format so far.
      """)

  @OptionGroup var target: DatabaseOption

  func run() throws {
    try reportingErrors {
      let format = try target.database().format()
      print("the store is in format \(format), which is the latest; nothing changes")
    }
  }
}
