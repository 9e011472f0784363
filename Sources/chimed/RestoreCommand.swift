import ArgumentParser
import Foundation
import Store

/// Puts a backup in the place of the service's store.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the place of the service's store.",
    discussion: """
      The service must not run meanwhile. The backup is examined before anything is changed. What \
      has happened since it was made is lost: what fell due since then and has not expired is sent \
      again when the service starts, and apps may report their events again, of which those in the \
      backup change nothing.

      As the user of the service, so that the files are its own:
      sudo -u chimed chimed restore FILE --state-directory /var/lib/chimed
      """)

  @Argument(help: "A file that `chimectl backup` has made.")
  var file: String

  @Option(help: "The service's state directory; made if absent.")
  var stateDirectory: String

  @Flag(help: "Put a store that is there aside, into the directory \"replaced\" beside it.")
  var replace = false

  func run() throws {
    ServiceSignals.release()
    do {
      let restored = try SQLiteStore.restore(
        file, to: stateDirectory, isReplacing: replace)
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
