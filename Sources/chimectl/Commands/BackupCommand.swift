import ArgumentParser
import JSON
import NIOCore

/// Copies the service's data into a file.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy all data of the running service into a file.",
    discussion: """
      The file appears when it is complete, and only its owner may read it; until then its name \
      ends with .partial. "chimed restore" restores it. During the backup the service's state \
      directory needs free space for another complete copy. Older backups contain recipients that \
      were erased later: delete such backups as your rules require.
      """)

  @Argument(help: "The file; it must not exist yet.")
  var file: String

  @Flag(help: "Print the result as JSON: file, bytes.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let backup = try NewFile(file)
      let progress = Progress()
      try await connection.withClient { client in
        try await client.download("/v1/backup") { part throws(CommandError) in
          try backup.write(part.readableBytesView)
          progress.show("\(file): \(Progress.size(backup.size))")
        }
      }
      progress.showNow("\(file): \(Progress.size(backup.size)), syncing")
      try backup.finish()
      progress.clear()
      guard !json else {
        return Console.printJSON(["file": .string(file), "bytes": .integer(Int64(backup.size))])
      }
      Console.printOutput("\(file): \(backup.size) bytes".printable + "\n")
    }
  }
}
