import API
import ArgumentParser
import Glibc
import JSON
import NIOCore
import NIOHTTP1

/// Copies the service's data into a file.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy all data of the running service into a file.",
    discussion: """
      The file appears when it is complete, and only its owner may read it. "chimed restore" \
      restores it. During the backup the service's state directory needs room for another \
      complete copy. Older backups contain erased recipients: delete them as your rules require.
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

/// Makes the service reload its configuration.
struct ReloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Reload the service's configuration, and wait until it is used.",
    discussion: """
      This applies catalogs, sinks, routes, keys and secrets. The output names settings that need \
      a restart, and reminders that end, with the number of their pending occurrences. It also \
      names sinks whose secret, file or program is missing or wrong: a running one continues with \
      its former settings. If the new configuration is invalid, the current one stays, all errors \
      are listed, and the exit code is 78. "systemctl reload chimed" does the same.
      """)

  static func text(_ report: Answer<ReloadPayload>) throws(CommandError) -> String {
    var lines = ["reloaded"]
    let settings = try report.restart.joined(separator: ", ")
    if !settings.isEmpty { lines[0] += ", except \(settings): restart the service to change that" }
    for ended in try report.ended {
      let (occurrences, people) = try (ended.occurrences, ended.people)
      lines.append(
        "the catalogs end \(occurrences) occurrences of \(try ended.reminder) for \(people) "
          + "recipients")
    }
    for sink in try report.unavailable { lines.append("unavailable: \(sink)") }
    lines += try report.outdated
    let secrets = try report.fixedSecrets.joined(separator: ", ")
    if !secrets.isEmpty {
      lines.append("secrets that systemd provided at the start: \(secrets)")
      lines.append("if one of them has changed: systemctl restart chimed")
    }
    return lines.joined(separator: "\n")
  }

  @OptionGroup var options: AnswerOptions

  func run() async throws {
    try await reporting {
      try await options.show {
        try await $0.write(.POST, "/v1/reload")
      } as: { answer throws(CommandError) in
        try Self.text(Answer<ReloadPayload>(answer)) + "\n"
      }
    }
  }
}

/// Shows or changes the level of the service's log.
struct LogLevelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log-level",
    abstract: "Show or change the level of the service's log.",
    discussion: """
      A level is one of info, notice, warning, error, critical: messages below it are not \
      logged. A new level holds until the service is reloaded or restarted. The journal sink's \
      deliveries are always written.
      """)

  @Argument(help: "The new level.")
  var level: String?

  @OptionGroup var options: AnswerOptions

  func run() async throws {
    try await reporting {
      try await options.show { client in
        guard let level else { return try await client.document("/v1/log-level") }
        return try await client.write(.PUT, "/v1/log-level", ["level": .string(level)])
      } as: { answer throws(CommandError) in
        try Answer<LogLevelPayload>(answer).level.rawValue + "\n"
      }
    }
  }
}
