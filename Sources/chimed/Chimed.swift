import ArgumentParser
import Foundation
import Glibc
import Reminders
import Systemd
import chimectl

/// The service and what an operator runs beside it; as `chimectl`, its client, which is the same
/// executable under that name.
@main
struct Chimed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chimed",
    abstract: "Decides when and whether each person is reminded, and hands over what is due.",
    discussion: """
      chimed --check-config, followed by the options of serve, looks at everything that the \
      service would need to start with them: catalogs, holidays, zones, sinks, socket and state. \
      It lists all that is wrong, with file, line and column, and starts nothing. It exits with \
      0 or 78.
      """,
    version: Version.current,
    subcommands: [ServeCommand.self, SimulateCommand.self, RestoreCommand.self])

  static func main() {
    let name = CommandLine.arguments.first?.split(separator: "/").last
    if name == Substring(Chimectl.name) { Chimectl.begin() }
    let given = Array(CommandLine.arguments.dropFirst())
    if let arguments = argumentsToCheck(given) { Glibc.exit(check(arguments)) }
    if let mistake = MistypedCommand(in: given, of: Self.self) {
      FileHandle.standardError.write(Data(mistake.text.utf8))
      Glibc.exit(MistypedCommand.code)
    }
    ServiceSignals.hold()
    watchStart()
    Task(executorPreference: EventLoopExecutor()) {
      await main(nil)
      exit()
    }
    // Not libdispatch's way to wait, which would let the signals through.
    while true { pause() }
  }

  /// A program that only looks at something is ended by a signal as any other is.
  private static func watchStart() {
    guard CommandLine.arguments.dropFirst().first == ServeCommand.name else { return }
    do {
      try StartWatch.shared.begin()
    } catch {
      let exit = DaemonExit(error)
      exit.report(to: Journal.inherited())
      Glibc.exit(exit.code)
    }
  }
}
