import API
import ArgumentParser
import NIOHTTP1

/// Makes the service reload its configuration.
struct ReloadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Reload the service's configuration, and wait until it is used.",
    discussion: """
      This applies catalogs, sinks, routes, keys and secrets. The output names settings that need \
      a restart. It also names each reminder that loses pending occurrences under the new \
      catalogs, and how many occurrences and recipients this concerns. It also names sinks whose \
      secret, file or program is missing or wrong. Such a sink, if it is running, keeps its former \
      settings. If the new configuration is invalid, the current one \
      stays, all errors are listed, and the exit code is 78. "systemctl reload chimed" does the \
      same.
      """)

  static func text(_ report: Answer<ReloadPayload>) throws(CommandError) -> String {
    var lines = ["reloaded"]
    let settings = try report.restart.joined(separator: ", ")
    if !settings.isEmpty {
      lines[0] += ", except \(settings): restart the service to apply these settings"
    }
    for ended in try report.ended {
      let (occurrences, people) = try (ended.occurrences, ended.people)
      lines.append(
        "the new catalogs end \(occurrences) pending occurrences of \(try ended.reminder) for "
          + "\(people) recipients")
    }
    for sink in try report.unavailable { lines.append("unavailable sink \(sink)") }
    lines += try report.outdatedSinkMessages
    let secrets = try report.secretsReadOnlyAtStart.joined(separator: ", ")
    if !secrets.isEmpty {
      lines.append(
        "these secrets were not read again, because systemd provides them only at the start: "
          + secrets)
      lines.append("if one of them has changed, run: systemctl restart chimed")
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
