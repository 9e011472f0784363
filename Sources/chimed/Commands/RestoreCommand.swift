import ArgumentParser
import Foundation
import SQLiteStore
import Store
import chimectl

/// Replaces the service's store by a backup.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace the service's store by a backup.",
    discussion: """
      The service must be stopped. The backup is checked before anything changes. All changes \
      since the backup are lost: notifications that fell due since then and have not expired are \
      sent again when the service starts. Apps may report their events again; events that the \
      backup contains have no effect. Tokens that were revoked since the backup are valid again.

      Run as root; the restored files get the owner of the directory:
        systemctl stop chimed.socket chimed.service
        chimed restore FILE --state-directory /var/lib/chimed --replace
        systemctl start chimed
      """)

  @Argument(help: "A file created by `chimectl backup`.")
  var file: String

  @Option(help: "The service's state directory, created if absent (by root: for user chimed).")
  var stateDirectory: String

  @Flag(
    help: ArgumentHelp(
      "Move an existing store that is not empty into the directory \"replaced\" beside "
        + "it, or \"replaced-2\" and so on."))
  var replace = false

  func run() throws {
    ServiceSignals.unblock()
    do {
      let progress = Progress()
      let restored = try SQLiteStore.restore(
        file, to: stateDirectory, isReplacing: replace, report: progress.showNow)
      progress.clear()
      print(
        "restored \(restored.recipients) recipients and \(restored.notifications) notifications")
      if let replaced = restored.replaced {
        print("the previous store is in \(replaced): delete it after checking the restored one")
      }
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      throw ExitCode(DaemonExit(error).code)
    }
  }
}
