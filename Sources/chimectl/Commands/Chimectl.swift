package import ArgumentParser
import Glibc
import Reminders

/// The command-line client of the service.
package struct Chimectl: AsyncParsableCommand {
  package static let name = "chimectl"
  package static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Reports events to chimed, and shows its plans and state.",
    discussion: """
      The service is found at $CHIMED_SOCKET, /run/chimed/chimed.sock, \
      $XDG_RUNTIME_DIR/chimed.sock or /tmp/chimed-UID/chimed.sock, unless --socket names it.

      With --json every command prints the service's reply, which /openapi.json describes. \
      Output to a terminal has colors unless NO_COLOR is set.

      Exit codes: 0 success, 64 wrong usage, 65 invalid data, 66 not found or not readable, \
      69 service unreachable, 70 internal error of the service, 73 cannot create a file, 74 cannot \
      write, 75 temporary failure: try again later, 76 invalid reply of the service, 77 not \
      permitted, 78 invalid configuration of the service.
      """,
    version: Version.current,
    subcommands: [
      EventCommand.self, EventsCommand.self, ImportCommand.self, PendingCommand.self,
      AheadCommand.self, InboxCommand.self, NotificationsCommand.self, WatchCommand.self,
      ExplainCommand.self, SnoozeCommand.self, CancelCommand.self, PreferencesCommand.self,
      CalendarCommand.self,
      ExportCommand.self, EraseCommand.self, BackupCommand.self, PruneCommand.self,
      StatusCommand.self, TopCommand.self, TokenCommand.self, ConsoleCommand.self,
      FleetCommand.self, SinksCommand.self, DeadLettersCommand.self, TestCommand.self,
      ReloadCommand.self, ConfigurationCommand.self, LogLevelCommand.self, CatalogCommand.self,
      ReplayCommand.self, InitCommand.self,
    ])

  package init() {}

  /// Runs the command in this process's arguments and ends the process.
  package static func begin() -> Never {
    if let mistake = MistypedCommand(in: Array(CommandLine.arguments.dropFirst()), of: Self.self) {
      Console.printError(mistake.text)
      Glibc.exit(MistypedCommand.code)
    }
    Task {
      await main(nil)
      exit()
    }
    while true { pause() }
  }
}
