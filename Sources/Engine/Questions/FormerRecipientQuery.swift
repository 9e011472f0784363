package import CivilTime
package import Reminders
package import Store

/// Selects the state of a recipient at a past instant (rule H32).
package struct FormerRecipientQuery: EngineQuery {
  /// Many events are folded, by catalogs that have to be read.
  package static var burden: QueryBurden { .trial }

  /// The recipient's name.
  package var recipient: String
  package var instant: Instant

  package init(of recipient: String, at instant: Instant) {
    (self.recipient, self.instant) = (recipient, instant)
  }

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> FormerRecipientAnswer {
    guard instant <= now else { return .unknown(.future) }
    let past = try questions.readers.read { try self.past(in: $0, questions.planner, now: now) }
    // The snapshot is closed by now, because folding may take seconds.
    switch past {
    case .success(let past): return answer(of: past.facts, by: past.planners, questions.planner)
    case .failure(let reason): return reason.answer
    }
  }

  /// Reads everything that the answer needs.
  private func past(
    in reader: any StoreReader, _ current: Planner, now: Instant
  ) throws -> Result<(facts: FormerFacts, planners: FormerPlanners), NoPast> {
    guard let stored = try reader.recipient(named: recipient) else {
      return .failure(NoPast(answer: .unknownRecipient))
    }
    let planners = try FormerPlanners(current: current, until: instant, in: reader)
    switch try FormerFacts.stored(of: stored, in: reader, now: now) {
    case .success(let facts): return .success((facts, planners))
    case .failure(let unknown): return .failure(NoPast(answer: .unknown(unknown)))
    }
  }

  /// An answer without a known state.
  private struct NoPast: Error {
    let answer: FormerRecipientAnswer
  }

  private func answer(
    of former: FormerFacts, by planners: FormerPlanners, _ current: Planner
  ) -> FormerRecipientAnswer {
    let planner: Planner
    let zones: String
    switch planners.planner(at: instant) {
    case .known(let known, let adoption): (planner, zones) = (known, adoption.zones)
    case .notStored: return .unknown(.noAdoption(first: planners.start))
    case .unreadable(let adoption): return .unknown(.unreadableCatalogs(adopted: adoption.at))
    }
    let facts = former.facts(at: instant, by: planners.reader, isOfItsTime: planners.isKnown)
    guard let facts else {
      return .unknown(.early(start: former.start))
    }
    return .known(
      FormerRecipient(
        facts: facts.facts, planner: planner, unreadableEventCount: facts.unreadableCount,
        missingZones: zones == current.zones.version ? nil : zones))
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

/// The state of a recipient at a past instant.
package struct FormerRecipient: Sendable {
  package let facts: Facts
  /// The planner with the catalogs and settings of that instant, and the current tz database and
  /// holidays.
  package let planner: Planner
  /// The number of events that the catalogs of their time could not read. Their facts are missing,
  /// or are those that a later catalog has read.
  package let unreadableEventCount: Int
  /// The release of the tz database of that instant, if it is not the current one. Its rules are
  /// not stored.
  package let missingZones: String?

  package init(
    facts: Facts, planner: Planner, unreadableEventCount: Int, missingZones: String?
  ) {
    (self.facts, self.planner) = (facts, planner)
    (self.unreadableEventCount, self.missingZones) = (unreadableEventCount, missingZones)
  }
}

package enum FormerRecipientAnswer: Sendable {
  case known(FormerRecipient)
  case unknownRecipient
  case unknown(UnknownPast)
}

/// The reason why the state of a past instant is not known.
package enum UnknownPast: Error, Hashable {
  case future
  /// The facts are known from `start` on; nil if there are none.
  case early(start: Instant?)
  /// The store has removed events before it had bases.
  case noBase
  case tooManyEvents
  /// A replay of the past would have too many instants.
  case tooMuchWork
  /// The records of the recipient's decisions in the interval were removed, or there are none.
  case noRecord
  /// No adoption is stored that is old enough; the first stored one is given.
  case noAdoption(first: Instant?)
  /// This version of the service cannot read the catalogs.
  case unreadableCatalogs(adopted: Instant)
}

extension UnknownPast: CustomStringConvertible {
  package var description: String {
    switch self {
    case .future: "is in the future; give a past instant"
    case .early(let start?): "is before \(start), since when the recipient's facts are known"
    case .early(nil): "is before the recipient's first event"
    case .noBase: "cannot be answered, because the store has removed earlier events"
    case .tooManyEvents: "cannot be answered, because the recipient has too many events"
    case .tooMuchWork: "cannot be answered, because the recipient's past has too many decisions"
    case .noRecord: "cannot be audited, because the recipient's decisions are not stored"
    case .noAdoption(let first?): "is before \(first), since when catalogs are recorded"
    case .noAdoption(nil): "cannot be answered, because no catalogs are recorded yet"
    case .unreadableCatalogs(let adopted):
      "cannot be answered, because this version cannot read the catalogs that were adopted at "
        + "\(adopted)"
    }
  }
}
