import ArgumentParser
import Engine
import Foundation
import Glibc
import Reminders
import Systemd
import chimectl

/// The service and its operators' commands. Under the name `chimectl`, the same executable is the
/// service's client.
@main
struct Chimed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chimed",
    abstract: "Schedules reminders and sends the due notifications.",
    discussion: """
      chimed --check-config, followed by the options of serve, checks everything that the \
      service needs to start with them: catalogs, holidays, zones, sinks, socket and state. It \
      lists all faults with file, line and column, and starts nothing. It exits with 0 or 78. \
      Without options it checks /etc/chimed/chimed.yaml, if that exists.
      """,
    version: Version.current,
    subcommands: [
      ServeCommand.self, SimulateCommand.self, ProveCommand.self, SchemaCommand.self,
      RestoreCommand.self, FleetCommand.self,
    ])

  static func main() {
    let name = CommandLine.arguments.first?.split(separator: "/").last
    if name == Substring(Chimectl.name) { Chimectl.begin() }
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let serveArguments = argumentsToCheck(arguments) { Glibc.exit(check(serveArguments)) }
    if let mistake = MistypedCommand(in: arguments, of: Self.self) {
      FileHandle.standardError.write(Data(mistake.text.utf8))
      Glibc.exit(MistypedCommand.code)
    }
    ServiceSignals.block()
    watchStart()
    Task(executorPreference: EventLoopExecutor()) {
      await main(nil)
      exit()
    }
    // dispatchMain(), the usual way to wait here, would unblock the signals.
    while true { pause() }
  }

  /// Begins to supervise the start of `serve` and to receive its signals. Does nothing for other
  /// commands; signals end those as usual.
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

extension Chimed {
  private static let checkOption = "--check-config"

  /// Returns the arguments of `serve` if the command only checks them; nil for other commands.
  static func argumentsToCheck(_ arguments: [String]) -> [String]? {
    guard arguments.first == checkOption || arguments.first == ServeCommand.name else { return nil }
    let options = arguments.prefix { $0 != "--" }
    guard options.contains(checkOption) else { return nil }
    var serveArguments = arguments.filter { $0 != checkOption }
    // Only the first "serve" is the command; a later one is the value of an option.
    if serveArguments.first == ServeCommand.name { serveArguments.removeFirst() }
    return [ServeCommand.name] + (serveArguments.isEmpty ? installedOptions : serveArguments)
  }

  /// The options that name the installed configuration, for a check without options; empty if no
  /// configuration is installed.
  private static var installedOptions: [String] {
    let file = "/etc/chimed/chimed.yaml"
    return access(file, F_OK) == 0 ? ["--config", file] : []
  }

  /// Prints all faults of a configuration.
  ///
  /// - Returns: the exit code: 0, or 78 if there is a fault (sysexits(3)).
  static func check(_ arguments: [String]) -> Int32 {
    do {
      guard let command = try parseAsRoot(arguments) as? ServeCommand else { return 78 }
      return report(ConfigurationCheck(command, now: WallClock.now()))
    } catch {
      guard exitCode(for: error) != .success else {
        print(fullMessage(for: error))
        return 0
      }
      return reject([fullMessage(for: error)])
    }
  }

  private static func report(_ check: ConfigurationCheck) -> Int32 {
    guard check.problems.isEmpty else { return reject(check.problems) }
    for secret in check.unchecked { print("not checked: \(secret)") }
    for warning in check.warnings { print("remark: \(warning)") }
    print("the configuration is valid")
    return 0
  }

  private static func reject(_ problems: [String]) -> Int32 {
    let text = problems.map { $0 + "\n" }.joined()
    FileHandle.standardError.write(Data(text.utf8))
    return 78
  }
}
