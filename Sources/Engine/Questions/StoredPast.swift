import CivilTime
import Reminders
import Store

/// The stored data from which the state of a recipient at a past instant follows.
struct StoredPast {
  let facts: FormerFacts
  let planners: FormerPlanners

  /// Reads everything that an answer needs. The snapshot is closed afterwards, because the answer
  /// may take seconds.
  static func read(
    of recipient: String, at instant: Instant, from questions: Questions, now: Instant
  ) throws(StoreError) -> PastAnswer<StoredPast> {
    guard instant <= now else { return .unknown(.future) }
    return try questions.readers.read { reader in
      guard let stored = try reader.recipient(named: recipient) else { return .unknownRecipient }
      let planners = try FormerPlanners(current: questions.planner, until: instant, in: reader)
      switch try FormerFacts.stored(of: stored, in: reader, now: now) {
      case .success(let facts): return .known(StoredPast(facts: facts, planners: planners))
      case .failure(let unknown): return .unknown(unknown)
      }
    }
  }
}

extension FormerFacts {
  /// The maximum number of events read, which bounds a query.
  private static let eventsMax = 10_000

  /// Reads the base and the stored events of a recipient.
  static func stored(
    of stored: StoredRecipient, in reader: any StoreReader, now: Instant
  ) throws -> Result<FormerFacts, UnknownPast> {
    let base = try reader.factBases(of: [stored.row])[stored.row]
    let history = try reader.events(
      through: stored.lastEvent, receivedBy: Instant(milliseconds: .max), limit: eventsMax)
    guard let history else { return .failure(.tooManyEvents) }
    guard history.isComplete || base != nil else { return .failure(.noBase) }
    var events: [StoredEvent] = []
    for head in base?.earlierEvents ?? [] {
      let earlier = try reader.events(
        through: head, receivedBy: Instant(milliseconds: .max), limit: eventsMax)
      events += earlier?.events ?? []
    }
    // They arrived before an event that is removed.
    events = events.arrived(by: base?.through ?? now) + history.events.arrived(by: now)
    return .success(FormerFacts(of: stored.recipient, base: base, events: events))
  }
}

extension [StoredEvent] {
  /// Returns the events, given in the order of arrival, with instants of arrival that do not exceed
  /// that of a later event, or `end`. A clock that was ahead recorded others (rule T11).
  fileprivate func arrived(by end: Instant) -> [StoredEvent] {
    var (events, end) = (self, end)
    for index in events.indices.reversed() {
      end = Swift.min(end, events[index].received)
      events[index].received = end
    }
    return events
  }
}
