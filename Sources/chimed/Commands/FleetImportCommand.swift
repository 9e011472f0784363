import ArgumentParser
import PostgresStore
import SQLiteStore
import Store
import chimectl

/// Copies the store of one machine into an empty store in PostgreSQL.
struct FleetImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Copy a SQLite store into an empty PostgreSQL store.",
    discussion: """
      The service must be stopped. The command checks the service's file, copies everything in one \
      transaction, and leaves the file unchanged. Recipients, events, notifications and all their \
      numbers stay the same: nothing is sent twice, and events that apps report again are \
      duplicates.

      Run as root; the command then acts as the user that owns the directory:
        systemctl stop chimed.socket chimed.service
        chimed fleet init --config FILE
        chimed fleet import /var/lib/chimed --config FILE
        systemctl start chimed
      """)

  @Argument(help: "The state directory of the stopped service.")
  var stateDirectory: String

  @OptionGroup var target: DatabaseOption

  func run() throws {
    try reportingErrors {
      let database = try target.database()
      let progress = Progress()
      let source = try SQLiteCopySource(directory: stateDirectory, report: progress.showNow)
      let counts = try database.fill(from: source, report: progress.showNow)
      progress.clear()
      print(Self.summary(counts))
      print("\(stateDirectory) is unchanged: start no service with it again")
    }
  }

  private static func summary(_ counts: [CopiedTable: Int]) -> String {
    let shownTables: [(CopiedTable, String)] = [
      (.recipient, "recipients"), (.event, "events"), (.notification, "notifications"),
      (.retry, "retries"), (.attempt, "attempts"), (.token, "tokens"),
    ]
    return "copied " + shownTables.map { "\(counts[$0.0] ?? 0) \($0.1)" }.joined(separator: ", ")
  }
}
