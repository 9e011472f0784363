import CivilTime
import Reminders
import Store
import Synchronization

/// A cache of the first notification that each of the recipients due next will get. An entry is
/// valid while the recipient and the planner stay the same. The cache is needed because the status
/// is polled, and simulating a recipient's days costs more than sending the result.
final class FirstSent: Sendable {
  private struct Entry {
    let recipient: Recipient
    /// The start of the time that was simulated; `end` is its end.
    let start: Instant
    let end: Instant
    /// The first notification that is sent in this time; nil if none is.
    let firing: Firing?

    /// Returns whether a query for the same recipient from `now` through `end` has the same result.
    func isValid(from now: Instant, through end: Instant) -> Bool {
      guard start <= now else { return false }
      guard let firing else { return end <= self.end }
      return now <= firing.at && firing.at <= end
    }
  }

  private struct State {
    /// The number of previous planners in the view for which the entries were computed.
    var previousPlanners = 0
    /// The entries by the recipients' rows.
    var entries: [UInt32: Entry] = [:]
    /// The number of simulations so far.
    var simulations = 0
  }

  private let state = Mutex(State())

  /// The number of simulations, for tests.
  var simulations: Int { state.withLock(\.simulations) }

  /// Returns the first notification of each recipient, by row.
  func firings(
    of people: [StoredRecipient], from now: Instant, through end: Instant, by view: EngineView
  ) -> [UInt32: Firing] {
    let cachedEntries = state.withLock {
      $0.previousPlanners == view.previousPlanners ? $0.entries : [:]
    }
    var entries: [UInt32: Entry] = [:]
    var simulations = 0
    for person in people {
      if let entry = cachedEntries[person.row], entry.isValid(from: now, through: end),
        entry.recipient == person.recipient
      {
        entries[person.row] = entry
        continue
      }
      simulations += 1
      let firing = person.recipient.firstSent(from: now, through: end, planner: view.planner)
      entries[person.row] = Entry(
        recipient: person.recipient, start: now, end: end, firing: firing)
    }
    state.withLock { [entries, simulations] state in
      (state.previousPlanners, state.entries) = (view.previousPlanners, entries)
      state.simulations += simulations
    }
    return entries.compactMapValues(\.firing)
  }
}
