package import CivilTime
import Reminders
package import Store

/// Selects a recipient with its progress at a past instant (rule L8).
package struct ReplayedRecipientQuery: EngineQuery {
  /// Many events are evaluated again, by catalogs that have to be read.
  package static var burden: QueryBurden { .trial }

  /// The recipient's name.
  package var recipient: String
  package var instant: Instant

  package init(of recipient: String, at instant: Instant) {
    (self.recipient, self.instant) = (recipient, instant)
  }

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> PastAnswer<ReplayedRecipient> {
    try StoredPast.read(of: recipient, at: instant, from: questions, now: now)
      .flatMap { $0.replayed(to: instant) }
  }
}

extension StoredPast {
  /// Decides a recipient's past again, up to and including an instant.
  fileprivate func replayed(to instant: Instant) -> PastAnswer<ReplayedRecipient> {
    guard let adopted = planners.start, adopted <= instant else {
      return .unknown(.noAdoption(first: planners.start))
    }
    switch planners.periods(until: instant) {
    case .success(let periods): return replayed(to: instant, by: periods, adoptedSince: adopted)
    case .failure(let reason): return .unknown(reason)
    }
  }

  private func replayed(
    to instant: Instant, by periods: PlannerPeriods, adoptedSince adopted: Instant
  ) -> PastAnswer<ReplayedRecipient> {
    let former = facts.without(eventsAfter: instant)
    guard var replay = RecipientReplay(of: former, by: periods), replay.start <= instant else {
      return .unknown(.early(start: facts.start))
    }
    replay.run(to: instant + .milliseconds(1))
    guard replay.isComplete else { return .unknown(.tooMuchWork) }
    guard let recipient = replay.current else { return .unknown(.early(start: facts.start)) }
    return .known(
      ReplayedRecipient(
        recipient: recipient, planner: periods.planner(at: instant),
        missingZones: planners.missingZones(until: instant),
        progressStart: replay.hasUnknownProgress ? replay.start : nil,
        hasUnknownCatalogs: replay.start < adopted, lostEventCount: replay.refusedEventCount))
  }
}
