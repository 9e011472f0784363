import API
import ArgumentParser
import CivilTime
import Engine
import Foundation
import Outbox
import Reminders
import ServiceLifecycle
import Store
import Systemd

/// Runs the service in the foreground until a signal stops it.
struct ServeCommand: AsyncParsableCommand {
  static let name = "serve"
  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Run the service.",
    discussion: """
      The log goes to the journal, or without a journal to standard error. With CHIMED_LOG=json in \
      the environment, the log goes to standard output, with a JSON object per line.
      """)

  @Option(
    help: ArgumentHelp(
      "A configuration file; the other options override it.", valueName: "file"))
  var config: String?

  @Option(
    help: "The directory for the service's state, created if absent. Default: $STATE_DIRECTORY.")
  var stateDirectory: String?

  @Option(help: "The Unix socket to listen on. Default: the path that chimectl uses.")
  var socket: String?

  @Option(help: "The sink of all deliveries: journal, jsonl:FILE, or jsonl:- for standard output.")
  var sink: SinkOption?

  @Option(
    help: ArgumentHelp(
      "The lowest level that is written to the journal: \(LogLevel.list).",
      valueName: "level"))
  var logLevel = LogLevel.info

  @OptionGroup var access: AccessOptions

  @OptionGroup var planning: PlanningOptions

  func validate() throws {
    guard LogFormat.text.isEmpty || LogFormat(rawValue: LogFormat.text) != nil else {
      throw ValidationError(
        "\(LogFormat.variable) is \"\(LogFormat.text)\"; it must be json, or unset.")
    }
  }

  /// The number of journal entries that the API can show, of about 300 bytes each.
  private static let logLength = 2_000

  func run() async throws {
    let threshold = JournalThreshold(logLevel.priority)
    let ring = JournalRing(capacity: Self.logLength)
    let journal = Journal.inherited(threshold: threshold, ring: ring)
    do {
      try await Daemon(command: self, journal: journal, threshold: threshold, ring: ring).run()
    } catch {
      let exit = DaemonExit(error)
      exit.report(to: journal)
      throw ExitCode(exit.code)
    }
  }
}
