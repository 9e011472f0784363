package import CivilTime
package import Reminders
package import Store

/// Selects the state of a recipient at a past instant (rule H32).
package struct FormerRecipientQuery: EngineQuery {
  /// The recipient's name.
  package var recipient: String
  package var instant: Instant

  package init(of recipient: String, at instant: Instant) {
    (self.recipient, self.instant) = (recipient, instant)
  }

  /// The maximum number of events read, which bounds the query.
  private static let eventsMax = 10_000

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> FormerRecipientAnswer {
    guard instant <= now else { return .unknown(.future) }
    return try questions.readers.read { transaction in
      guard let stored = try transaction.recipient(named: recipient) else {
        return .unknownRecipient
      }
      let base = try transaction.factBases(of: [stored.row])[stored.row]
      let history = try transaction.events(
        through: stored.lastEvent, receivedBy: now, limit: Self.eventsMax)
      guard let history else { return .unknown(.tooManyEvents) }
      guard history.isComplete || base != nil else { return .unknown(.noBase) }
      let planners = FormerPlanners(
        current: questions.planner, adoptions: try transaction.adoptions(),
        text: transaction.adoptedText)
      let facts = FormerFacts(of: stored.recipient, base: base, events: history.events)
      return try answer(of: facts, by: planners, questions.planner)
    }
  }

  private func answer(
    of former: FormerFacts, by planners: FormerPlanners, _ current: Planner
  ) throws -> FormerRecipientAnswer {
    let planner: Planner
    let zones: String
    switch try planners.planner(at: instant) {
    case .known(let known, let adoption): (planner, zones) = (known, adoption.zones)
    case .notStored: return .unknown(.noAdoption(first: planners.start))
    case .unreadable(let adoption): return .unknown(.unreadableCatalogs(adopted: adoption.at))
    }
    guard let facts = former.facts(at: instant, by: planners.reader) else {
      return .unknown(.early(start: former.start))
    }
    return .known(
      FormerRecipient(
        facts: facts.facts, planner: planner, unreadableEventCount: facts.unreadableCount,
        missingZones: zones == current.zones.version ? nil : zones))
  }
}

/// The state of a recipient at a past instant.
package struct FormerRecipient: Sendable {
  package let facts: Facts
  /// The planner with the catalogs and settings of that instant, and the current tz database and
  /// holidays.
  package let planner: Planner
  /// The number of events that could not be read, so that their facts are missing.
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
package enum UnknownPast: Hashable, Sendable {
  case future
  /// The facts are known from `start` on; nil if there are none.
  case early(start: Instant?)
  /// The store has removed events before it had bases.
  case noBase
  case tooManyEvents
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
    case .noAdoption(let first?): "is before \(first), since when catalogs are recorded"
    case .noAdoption(nil): "cannot be answered, because no catalogs are recorded yet"
    case .unreadableCatalogs(let adopted):
      "cannot be answered, because this version cannot read the catalogs that were adopted at "
        + "\(adopted)"
    }
  }
}
