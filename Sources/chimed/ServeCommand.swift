import API
import ArgumentParser
import CivilTime
import Delivery
import Engine
import Foundation
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

  @Option(help: "The directory for the service's state; made if absent.")
  var stateDirectory: String

  @Option(help: "The Unix socket to listen on; by default where chimectl looks for it.")
  var socket: String?

  @Option(help: "Where deliveries go: journal, jsonl:FILE, or jsonl:- for standard output.")
  var sink: SinkOption

  @OptionGroup var access: AccessOptions

  @OptionGroup var planning: PlanningOptions

  /// Where it listens.
  var location: SocketLocation {
    socket.map { SocketLocation(path: $0) }
      ?? .server(environment: ProcessInfo.processInfo.environment, user: getuid())
  }

  func run() async throws {
    let journal = Journal.inherited()
    do {
      try await Daemon(command: self, journal: journal).run()
    } catch {
      let exit = DaemonExit(error)
      exit.report(to: journal)
      throw ExitCode(exit.code)
    }
  }
}

/// What `--sink` may say.
enum SinkOption: ExpressibleByArgument {
  case journal
  case jsonLines(path: String)

  init?(argument: String) {
    if argument == "journal" {
      self = .journal
    } else if argument.hasPrefix("jsonl:"), argument != "jsonl:" {
      self = .jsonLines(path: String(argument.dropFirst("jsonl:".count)))
    } else {
      return nil
    }
  }

  func sink(journal: Journal) throws -> any Sink {
    switch self {
    case .journal: JournalSink(journal: journal)
    case .jsonLines(let path): try JSONLinesSink(path: path)
    }
  }
}
