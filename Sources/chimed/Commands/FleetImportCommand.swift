import ArgumentParser
import PostgresStore
import SQLiteStore
import Store
import chimectl

/// Copies the store of one machine into an empty one in PostgreSQL.
struct FleetImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Copy a service's own store into an empty one in PostgreSQL.",
    discussion: """
      The service must not run meanwhile. Its file is examined, everything in it is copied in one \
      transaction, and it is left as it is. People, events, notifications and all their numbers \
      stay what they are: nothing is said twice, and apps may report events again that are known.

      As root, which becomes the owner of the directory:
        systemctl stop chimed.socket chimed.service
        chimed fleet init --config FILE
        chimed fleet import /var/lib/chimed --config FILE
        systemctl start chimed
      """)

  @Argument(help: "The state directory of the service that has stopped.")
  var stateDirectory: String

  @OptionGroup var target: DatabaseOption

  func run() throws {
    try obeying {
      let database = try target.database()
      let progress = Progress()
      let source = try SQLiteCopySource(directory: stateDirectory, tell: progress.say)
      let counts = try database.fill(from: source, tell: progress.say)
      progress.clear()
      print(Self.summary(counts))
      print("\(stateDirectory) is as it was: start no service on it any more")
    }
  }

  private static func summary(_ counts: [CopiedTable: Int]) -> String {
    let told: [(CopiedTable, String)] = [
      (.recipient, "recipients"), (.event, "events"), (.notification, "notifications"),
      (.retry, "retries"), (.attempt, "attempts"), (.token, "tokens"),
    ]
    return "copied " + told.map { "\(counts[$0.0] ?? 0) \($0.1)" }.joined(separator: ", ")
  }
}
