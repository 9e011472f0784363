import Engine
import Systemd

/// Says which configuration is in force, and keeps the last sound one (rule S6).
struct ConfigurationKeeper: Sendable {
  /// The directory that it is kept in.
  let place: String?
  let journal: Journal
  let board: StatusBoard

  /// Once a start has taken it into force.
  func begin(_ start: StartConfiguration) {
    remark(on: start.proposal)
    if let substitution = start.substitution {
      tell(substitution)
    } else if start.isSound {
      keep(start.proposal)
    }
  }

  /// Waits for the disk, unless the same is kept already.
  func keep(_ proposal: Proposal) {
    guard let place else { return }
    do {
      try KeptConfiguration(at: WallClock.now(), files: proposal.files).keep(in: place)
    } catch {
      journal.send(
        message: "the configuration is in force and could not be kept for a start with one that "
          + "is not sound: \(error)",
        priority: .warning)
    }
  }

  /// Of which nothing comes is said where the service says how it is.
  func remark(on proposal: Proposal) {
    let isNone = proposal.setup.planning.catalog.isEmpty
    board.remark(on: "catalogs", isNone ? "no catalog chosen: nobody is reminded" : nil)
  }

  private func tell(_ substitution: StartConfiguration.Substitution) {
    let faults = "\(substitution.flaws)"
    let names = substitution.credentials.joined(separator: ", ")
    let secrets = names.isEmpty ? "" : "\nits secrets are those that are handed over now: \(names)"
    let what = "the configuration is not sound, and that of \(substitution.at) is in force"
    board.remark(on: StatusBoard.reload, "\(what): \(faults)")
    journal.send(
      .configurationReplaced, "\(what): \(faults)\(secrets)", fields: [(.reason, faults)])
  }
}
