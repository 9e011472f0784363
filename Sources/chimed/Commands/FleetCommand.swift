import ArgumentParser
import Foundation
import PostgresStore
import Store

/// What an operator does with a store in PostgreSQL.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Look after a store in PostgreSQL.",
    subcommands: [FleetInitCommand.self, FleetImportCommand.self, FleetFinalizeCommand.self])
}

/// Makes the tables of a store in the database that a configuration names.
struct FleetInitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make the tables of a store in an empty database.",
    discussion: """
      They are made in a schema of their own, called chimed, by the role that the service connects \
      as, which needs the right to create a schema. All of them are made, or nothing.
      """)

  @OptionGroup var target: DatabaseOption

  @Option(help: "Among how many owners people could be divided; a power of two, for good.")
  var shards = 64

  @Option(
    help: ArgumentHelp(
      "Where what is acknowledged has to be: on a synchronous standby too, if the server has any, "
        + "or on its own disk alone (local).", valueName: "synchronous|local"))
  var durability = Durability.synchronous

  enum Durability: String, ExpressibleByArgument {
    case synchronous, local
  }

  func validate() throws {
    let possible = PostgresDatabase.shards
    guard possible.contains(shards), shards & (shards - 1) == 0 else {
      throw ValidationError(
        "--shards must be a power of two from \(possible.lowerBound) to \(possible.upperBound).")
    }
  }

  func run() throws {
    try obeying {
      try target.database().create(
        shards: shards, durableLocally: durability == .local)
      print("made the tables of a store; chimed can be started on it")
    }
  }
}

/// The database that a command is about, which a configuration names.
struct DatabaseOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A configuration file that says store: {postgresql: {url: ...}}.", valueName: "file"))
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
  /// Runs the body; an error is printed, and determines the exit code.
  func obeying(_ body: () throws -> Void) throws {
    ServiceSignals.release()
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
  /// The command that works, if PostgreSQL knows the service's user and not root (peer
  /// authentication).
  fileprivate static func hint(for error: String) -> String? {
    guard geteuid() == 0,
      error.contains("role \"root\"") || error.contains("Peer authentication failed")
    else { return nil }
    let arguments = CommandLine.arguments.dropFirst().joined(separator: " ")
    return "PostgreSQL knows the service's user: runuser -u chimed -- chimed \(arguments)"
  }
}

/// Raises the format in which a fleet writes, once every node can read it.
struct FleetFinalizeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "finalize", abstract: "Have a fleet write what its newest version can.",
    discussion: """
      A version writes the format that the store is in, and reads the next as well: so nodes are \
      updated one after the other, and this is said when all of them are. Until now there is one \
      format.
      """)

  @OptionGroup var target: DatabaseOption

  func run() throws {
    try obeying {
      let format = try target.database().format()
      print("the store is in format \(format), the latest there is: there is nothing to raise")
    }
  }
}
