import CivilTime
import Delivery
import Reminders
import Store

extension EngineCore {
  func metrics(now: Instant) throws(StoreError) -> ServiceMetrics {
    ServiceMetrics(
      now: now, started: started, recipients: recipients, pending: pending, due: due.count,
      stale: stale.count, streams: watchers.count, isStorageFailing: storageFailure != nil,
      counters: counters, occurrences: occurrences,
      usage: UsageTable(usage), commits: store.commitTimes,
      lanes: try lanes.map { (state) throws(StoreError) in try metrics(of: state, now: now) },
      catalogs: planner.catalog.names, zoneDatabase: planner.zones.version,
      zoneGeneration: planner.zones.generation)
  }

  private func metrics(
    of state: LaneState, now: Instant
  ) throws(StoreError) -> ServiceMetrics.Lane {
    let lane = state.lane
    return try store.transaction { transaction in
      let oldest = [
        try transaction.oldestRetry(of: lane.sink), try oldestWaiting(of: lane, in: transaction),
      ]
      let since = oldest.compactMap { $0 }.min()
      return ServiceMetrics.Lane(
        sink: lane.sink, waiting: lane.waiting,
        retrying: try transaction.retryCount(of: lane.sink),
        deadLetters: try transaction.deadLetterCount(of: lane.sink),
        oldest: since.map { max(.zero, now - $0) } ?? .zero, isFailing: state.failure != nil,
        answers: state.answers)
    }
  }

  /// What was counted by symbol, by the names that the catalog now in force declares.
  private var occurrences: [ServiceMetrics.Occurrences] {
    var counts: [String: [OccurrenceOutcome: Int]] = [:]
    for (occurrence, count) in counters.occurrences.counts {
      let name = planner.catalog.family(of: occurrence.reminder)
      counts[name, default: [:]][occurrence.outcome, default: 0] += count
    }
    return counts.sorted { $0.key < $1.key }.flatMap { name, outcomes in
      OccurrenceOutcome.allCases.compactMap { outcome in
        outcomes[outcome].map {
          ServiceMetrics.Occurrences(reminder: name, outcome: outcome, count: $0)
        }
      }
    }
  }
}

extension Catalog {
  /// What a reminder is counted as: its identifier, but of a family that the catalog declares as
  /// one, the family's name.
  fileprivate func family(of symbol: Symbol) -> String {
    if symbol == Digest.symbol { return Digest.identifier }
    guard let reminder = reminder(symbol) else { return "undeclared" }
    if case .milestone = reminder.trigger { return "milestone" }
    return reminder.identifier
  }
}
