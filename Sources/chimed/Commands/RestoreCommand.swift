import ArgumentParser
import Foundation
import SQLiteStore
import Store
import chimectl

/// Puts a backup in the place of the service's store.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the place of the service's store.",
    discussion: """
      The service must not run meanwhile. The backup is examined before anything is changed. What \
      has happened since it was made is lost: what fell due since then and has not expired is sent \
      again when the service starts, and apps may report their events again, of which those in the \
      backup change nothing. Tokens that were revoked since let their bearers in again.

      As root, which leaves all files to the owner of the directory:
        systemctl stop chimed.socket chimed.service
        chimed restore FILE --state-directory /var/lib/chimed --replace
        systemctl start chimed
      """)

  @Argument(help: "A file that `chimectl backup` has made.")
  var file: String

  @Option(help: "The service's state directory; made if absent, by root for the user chimed.")
  var stateDirectory: String

  @Flag(
    help: ArgumentHelp(
      "Put a store that is there and holds something aside, into the directory \"replaced\" beside "
        + "it, or \"replaced-2\" and so on."))
  var replace = false

  func run() throws {
    ServiceSignals.release()
    do {
      let progress = Progress()
      let restored = try SQLiteStore.restore(
        file, to: stateDirectory, isReplacing: replace, tell: progress.say)
      progress.clear()
      print(
        "restored \(restored.recipients) recipients and \(restored.notifications) notifications")
      if let replaced = restored.replaced {
        print("what was there is in \(replaced): delete it when all is well")
      }
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      throw ExitCode(DaemonExit(error).code)
    }
  }
}
