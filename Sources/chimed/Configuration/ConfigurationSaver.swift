import Engine
import Reminders
import Systemd

/// Reports which configuration is in use, and saves the last valid one (rule S6).
struct ConfigurationSaver: Sendable {
  /// The directory of the saved configuration; nil if none is saved.
  let directory: String?
  let journal: Journal
  let board: StatusBoard

  /// Reports the configuration that a start has applied, and saves it if it is sound. An earlier
  /// configuration that replaces an invalid one is not saved again.
  func begin(_ start: StartConfiguration) {
    remark(on: start.candidate)
    if let substitution = start.substitution {
      report(substitution)
    } else if start.isSound {
      save(start.candidate)
    }
  }

  /// Saves the configuration and waits for the disk, unless the same one is already saved.
  func save(_ candidate: Candidate) {
    guard let directory else { return }
    do {
      try SavedConfiguration(at: WallClock.now(), files: candidate.files).save(in: directory)
    } catch {
      journal.send(
        message: "the configuration is in use, but could not be saved; a later start with an "
          + "invalid configuration cannot use it instead: \(error)",
        priority: .warning)
    }
  }

  /// Adds a remark to the status if no catalog is configured, and otherwise removes the remark.
  func remark(on candidate: Candidate) {
    let lacksCatalogs = candidate.setup.planning.catalog.isEmpty
    board.remark(
      on: "catalogs", lacksCatalogs ? "no catalog is configured, so nothing is sent" : nil)
  }

  private func report(_ substitution: StartConfiguration.Substitution) {
    let names = substitution.credentials.joined(separator: ", ")
    let secrets = names.isEmpty ? "" : "; it uses the current secrets: \(names)"
    let summary = "the configuration is invalid; the one saved at \(substitution.at) is in use"
    board.remark(on: StatusBoard.reload, "\(summary): \(substitution.flaws)")
    let faults = "\(substitution.flaws)".inOneLine
    journal.send(
      .configurationReplaced, "\(summary): \(faults)\(secrets)", fields: [(.reason, faults)])
  }
}
