import ArgumentParser
import Reminders

/// Talks to the service over its socket.
@main
struct Chimectl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chimectl",
    abstract: "Reports events to chimed, and shows what it is going to do.",
    discussion: """
      The service is found at $CHIMED_SOCKET, /run/chimed/chimed.sock, \
      $XDG_RUNTIME_DIR/chimed.sock or /tmp/chimed-UID/chimed.sock, unless --socket names it.

      Exit codes: 0 done, 64 wrong usage, 65 refused by the service, 66 a file cannot be read, \
      69 the service cannot be reached or cannot answer now, 73 a file cannot be made, 74 it \
      cannot be written, 76 the service's answer makes no sense.
      """,
    version: Version.current,
    subcommands: [
      EventCommand.self, EventsCommand.self, PendingCommand.self, AheadCommand.self,
      InboxCommand.self, NotificationsCommand.self, WatchCommand.self,
      ExplainCommand.self, SnoozeCommand.self, CancelCommand.self, PreferencesCommand.self,
      ExportCommand.self, EraseCommand.self, BackupCommand.self, StatusCommand.self,
      TokenCommand.self, DeadLettersCommand.self, TestCommand.self, ReloadCommand.self,
      LogLevelCommand.self, CatalogCommand.self,
    ])
}
