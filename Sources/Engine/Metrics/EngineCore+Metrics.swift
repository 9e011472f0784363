import CivilTime
import Delivery
import Reminders
import Store

extension EngineCore {
  /// The metrics as they are now, for the engine's own thread.
  func metrics(now: Instant) throws(StoreError) -> ServiceMetrics {
    try questions.metrics(now: now)
  }

  /// How notifications were used since the start.
  var usage: [UsageKey: Int] { published.usage }
}

extension Questions {
  func metrics(now: Instant) throws(StoreError) -> ServiceMetrics {
    let (view, usage, streams) = (published.view, published.usage, watchers.count)
    return try readers.read { transaction in
      var lanes: [ServiceMetrics.Lane] = []
      for lane in view.lanes { lanes.append(try lane.metrics(now: now, in: transaction)) }
      return ServiceMetrics(
        now: now, started: view.started, recipients: view.recipients, pending: view.pending,
        due: view.due, stale: view.stale, streams: streams,
        isStorageFailing: view.storageFailure != nil, storeSize: readers.size,
        counters: view.counters,
        occurrences: view.occurrences, usage: UsageTable(usage), commits: view.commits,
        lanes: lanes, catalogs: view.planner.catalog.names,
        zoneDatabase: view.planner.zones.version,
        zoneGeneration: view.planner.zones.generation)
    }
  }
}

extension LaneView {
  fileprivate func metrics(
    now: Instant, in transaction: borrowing StoreTransaction
  ) throws -> ServiceMetrics.Lane {
    let oldest = [
      try transaction.oldestRetry(of: sink.name), try oldestWaiting(in: transaction),
    ]
    let since = oldest.compactMap { $0 }.min()
    return ServiceMetrics.Lane(
      sink: sink.name, waiting: waiting,
      retrying: try transaction.retryCount(of: sink.name),
      deadLetters: try transaction.deadLetterCount(of: sink.name),
      oldest: since.map { max(.zero, now - $0) } ?? .zero, isFailing: failure != nil,
      answers: answers)
  }
}

extension EngineView {
  /// What was counted by symbol, by the names that the catalog now in force declares.
  fileprivate var occurrences: [ServiceMetrics.Occurrences] {
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
