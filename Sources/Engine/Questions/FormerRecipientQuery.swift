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
  ) throws(StoreError) -> PastAnswer<FormerRecipient> {
    try StoredPast.read(of: recipient, at: instant, from: questions, now: now)
      .flatMap { answer(of: $0.facts, by: $0.planners, questions.planner) }
  }

  private func answer(
    of former: FormerFacts, by planners: FormerPlanners, _ current: Planner
  ) -> PastAnswer<FormerRecipient> {
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
