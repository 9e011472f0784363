import ArgumentParser
import JSON
import NIOCore

/// Copies everything that the service holds into a file.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy everything that the service holds into a file, while it goes on.",
    discussion: """
      The file is complete when it is there, and nobody else may read it. It is put back by \
      "chimed restore". Who was erased is in the backups of before: keep them no longer than your \
      rules allow.
      """)

  @Argument(help: "The file, which must not be there yet.")
  var file: String

  @Flag(help: "Print what was made as JSON: file, bytes.")
  var json = false

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await reporting {
      let backup = try NewFile(file)
      let progress = Progress()
      try await connection.withClient { client in
        try await client.download("/v1/backup") { part throws(Failure) in
          try backup.write(part.readableBytesView)
          progress.show("\(file): \(Progress.size(backup.size))")
        }
      }
      progress.say("\(file): \(Progress.size(backup.size)), syncing")
      try backup.finish()
      progress.clear()
      guard !json else {
        return Console.printJSON(["file": .string(file), "bytes": .integer(Int64(backup.size))])
      }
      Console.printOutput("\(file): \(backup.size) bytes".printable + "\n")
    }
  }
}
