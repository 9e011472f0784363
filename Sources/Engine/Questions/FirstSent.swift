import CivilTime
import Reminders
import Store
import Synchronization

/// The first notification that goes out to each of the recipients who are due next, kept until
/// something changes: the status is polled, and to play through a person's days costs more than
/// to deliver what comes of them.
final class FirstSent: Sendable {
  private struct Entry {
    let recipient: Recipient
    let start: Instant
    let end: Instant
    let firing: Firing?

    /// Returns whether a look at the same recipient from `now` through `end` finds the same.
    func isStill(true now: Instant, through end: Instant) -> Bool {
      guard start <= now else { return false }
      guard let firing else { return end <= self.end }
      return now <= firing.at && firing.at <= end
    }
  }

  private struct State {
    var plannings = 0
    var entries: [UInt32: Entry] = [:]
    var looks = 0
  }

  private let state = Mutex(State())

  /// The number of times that a recipient's days were played through, for tests.
  var looks: Int { state.withLock(\.looks) }

  /// Returns what goes out first to each of some recipients, by their rows.
  func firings(
    of people: [StoredRecipient], from now: Instant, through end: Instant, by view: EngineView
  ) -> [UInt32: Firing] {
    let known = state.withLock { $0.plannings == view.plannings ? $0.entries : [:] }
    var entries: [UInt32: Entry] = [:]
    var looks = 0
    for person in people {
      if let entry = known[person.row], entry.isStill(true: now, through: end),
        entry.recipient == person.recipient
      {
        entries[person.row] = entry
        continue
      }
      looks += 1
      let firing = person.recipient.firstSent(from: now, through: end, planner: view.planner)
      entries[person.row] = Entry(
        recipient: person.recipient, start: now, end: end, firing: firing)
    }
    state.withLock { [entries, looks] state in
      (state.plannings, state.entries) = (view.plannings, entries)
      state.looks += looks
    }
    return entries.compactMapValues(\.firing)
  }
}
