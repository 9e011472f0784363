import API
import ArgumentParser
import CivilTime
import Engine
import Foundation
import Outbox
import Reminders
import ServiceLifecycle
import SocketLocation
import Store
import Systemd

/// Runs the service in the foreground until it is told to stop.
struct ServeCommand: AsyncParsableCommand {
  static let name = "serve"
  static let configuration = CommandConfiguration(
    commandName: name, abstract: "Run the service.")

  @Option(
    help: ArgumentHelp(
      "A configuration file; the other options go before what it says.", valueName: "file"))
  var config: String?

  @Option(
    help: "The directory for the service's state; made if absent. $STATE_DIRECTORY by default.")
  var stateDirectory: String?

  @Option(help: "The Unix socket to listen on; by default where chimectl looks for it.")
  var socket: String?

  @Option(help: "Where all deliveries go: journal, jsonl:FILE, or jsonl:- for standard output.")
  var sink: SinkOption?

  @Option(
    help: ArgumentHelp(
      "How much an entry has to matter to be written to the journal: \(LogLevel.list).",
      valueName: "level"))
  var logLevel = LogLevel.info

  @OptionGroup var access: AccessOptions

  @OptionGroup var planning: PlanningOptions

  /// How many entries of the journal the interface can show: some 300 bytes each.
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
