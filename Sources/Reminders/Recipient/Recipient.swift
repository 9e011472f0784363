package import CivilTime

/// A recipient with everything that determines what is pending for them: facts and progress.
///
/// The service, the simulation and the tests drive the same few functions: `apply` an event,
/// `fire` what is due, ask what is pending. None reads a clock.
package struct Recipient: Hashable, Sendable {
  /// The app's own id, 1 to 128 bytes.
  package let name: String
  package internal(set) var facts: Facts
  package internal(set) var progress: Progress

  /// A recipient of whom nothing is known yet.
  package init(name: String, now: Instant) {
    self.init(name: name, facts: Facts(), progress: Progress(cutoff: now))
  }

  package init(name: String, facts: Facts, progress: Progress) {
    self.name = name
    self.facts = facts
    self.progress = progress
  }
}

/// What the wheel has to know of a recipient.
package struct Outlook: Hashable, Sendable {
  /// When something has to be done next, or nil if nothing is pending.
  package var due: Instant?
  /// How many reminders are pending.
  package var pending: Int

  package init(due: Instant?, pending: Int) {
    self.due = due
    self.pending = pending
  }

  mutating func add(_ instant: Instant) {
    due = min(due ?? instant, instant)
    pending += 1
  }
}

extension Recipient {
  /// When something has to be done next, and how many reminders are pending.
  ///
  /// - Parameter situation: made of these very facts.
  package func outlook(in situation: Situation) -> Outlook {
    var outlook = Outlook(due: nil, pending: 0)
    for entry in progress.underWay { outlook.add(entry.due) }
    situation.forEachPlanned { reminder in
      situation.forEachNext(reminder, after: progress.cutoff, progress: progress) {
        outlook.add(situation.turn(of: $0, of: reminder, after: progress.cutoff))
      }
    }
    return outlook
  }
}
