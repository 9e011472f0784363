package import ArgumentParser
import Glibc
import Reminders

/// Talks to the service over its socket.
package struct Chimectl: AsyncParsableCommand {
  package static let name = "chimectl"
  package static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Reports events to chimed, and shows what it is going to do.",
    discussion: """
      The service is found at $CHIMED_SOCKET, /run/chimed/chimed.sock, \
      $XDG_RUNTIME_DIR/chimed.sock or /tmp/chimed-UID/chimed.sock, unless --socket names it.

      With --json every command prints what the service answers, which is described at \
      /openapi.json. Colours are for terminals, and not where NO_COLOR is set.

      Exit codes: 0 done, 64 wrong usage, 65 what was given is not acceptable, 66 what was named \
      is not there or cannot be read, 69 the service cannot be reached, 70 it made a mistake, 73 \
      a file cannot be made, 74 it cannot be written, 75 not now: try again later, 76 the \
      service's answer makes no sense, 77 you may not, 78 the service's configuration is not sound.
      """,
    version: Version.current,
    subcommands: [
      EventCommand.self, EventsCommand.self, PendingCommand.self, AheadCommand.self,
      InboxCommand.self, NotificationsCommand.self, WatchCommand.self,
      ExplainCommand.self, SnoozeCommand.self, CancelCommand.self, PreferencesCommand.self,
      ExportCommand.self, EraseCommand.self, BackupCommand.self, PruneCommand.self,
      StatusCommand.self, TopCommand.self, TokenCommand.self, ConsoleCommand.self,
      FleetCommand.self, SinksCommand.self, DeadLettersCommand.self, TestCommand.self,
      ReloadCommand.self, ConfigurationCommand.self, LogLevelCommand.self, CatalogCommand.self,
      InitCommand.self,
    ])

  package init() {}

  /// Obeys this process's arguments and ends it.
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
