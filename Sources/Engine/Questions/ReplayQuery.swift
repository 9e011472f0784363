package import CivilTime
package import Reminders
package import Store

/// Compares recipients' past days with the same days under another catalog (rule L5).
package struct ReplayQuery: EngineQuery {
  /// Many events are evaluated again, by catalogs that have to be read.
  package static var burden: QueryBurden { .trial }

  package enum Selection: Sendable {
    case recipient(String)
    /// An even sample of at most this many recipients.
    case sample(Int)
  }

  /// The start of the compared days.
  package enum Start: Sendable {
    case instant(Instant)
    case ago(TimeSpan)

    func instant(before now: Instant) -> Instant {
      switch self {
      case .instant(let instant): instant
      case .ago(let span): now - span
      }
    }
  }

  package var selection: Selection
  package var start: Start
  /// The planner with the other catalog.
  package var planner: Planner
  /// The number of notifications on one local date that is not too many.
  package var perDay: Int

  package init(_ selection: Selection, since start: Start, by planner: Planner, perDay: Int) {
    (self.selection, self.start) = (selection, start)
    (self.planner, self.perDay) = (planner, perDay)
  }

  /// The query stops after this many replayed instants: seconds of work. An instant may be planned
  /// from all facts, so it costs more than a firing of a trial.
  private static let instantsMax = 100_000

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> ReplayAnswer {
    let since = start.instant(before: now)
    guard since < now else { return .unknown(.future) }
    let rows = try questions.readers.read { try self.rows(in: $0) }
    guard let rows else { return .unknownRecipient }
    let planners = try questions.readers.read {
      try FormerPlanners(current: questions.planner, until: now, in: $0)
    }
    guard let first = planners.start, first <= since else {
      return .unknown(.noAdoption(first: planners.start))
    }
    let periods: PlannerPeriods
    switch planners.periods(until: now) {
    case .success(let known): periods = known
    case .failure(let unknown): return .unknown(unknown)
    }
    var replay = CatalogReplay(
      since: since, now: now, perDay: perDay, people: people(questions, rows),
      missingZones: planners.missingZones(until: now))
    for row in rows where replay.instantCount < Self.instantsMax {
      let unknown = try add(row, to: &replay, periods, adoptedSince: first, questions)
      if case .recipient = selection, let unknown { return .unknown(unknown) }
    }
    return .known(replay)
  }

  /// Returns the rows of the selected recipients; nil if the selected one is unknown.
  private func rows(in reader: any StoreReader) throws -> [UInt32]? {
    switch selection {
    case .recipient(let name): try reader.recipient(named: name).map { [$0.row] }
    case .sample(let size): Questions.sample(through: try reader.lastRecipient(), size: size)
    }
  }

  /// Returns the number of recipients among whom the rows are a sample.
  private func people(_ questions: Questions, _ rows: [UInt32]) -> Int {
    if case .recipient = selection { return rows.count }
    return questions.published.view.recipients
  }

  /// Replays a recipient. The snapshot is closed before, because that may take seconds.
  ///
  /// - Returns: the reason why the recipient's past is not known; nil if it is.
  private func add(
    _ row: UInt32, to replay: inout CatalogReplay, _ periods: PlannerPeriods,
    adoptedSince: Instant, _ questions: Questions
  ) throws(StoreError) -> UnknownPast? {
    let now = replay.now
    let stored = try questions.readers.read { reader in
      try reader.recipient(row: row).map { recipient in
        (recipient.recipient.name, try FormerFacts.stored(of: recipient, in: reader, now: now))
      }
    }
    guard let (name, facts) = stored else { return nil }
    switch facts {
    case .success(let facts):
      return replay.add(facts, of: name, periods, adoptedSince: adoptedSince, by: planner)
    case .failure(let unknown):
      replay.leaveOut()
      return unknown
    }
  }
}

package enum ReplayAnswer: Sendable {
  case known(CatalogReplay)
  case unknownRecipient
  case unknown(UnknownPast)
}
