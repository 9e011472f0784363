import CivilTime
import Delivery
import Reminders
import Store

/// Who comes next when a sink takes nothing at all (rule D2).
///
/// What waits in a lane for the end of an outage is not attempted one by one. It goes on to another
/// sink all the same: when the last of its attempts that would have been in time is past.
extension EngineCore {
  /// How many a lane hands on at once; as long as it fails, it soon hands on more.
  private static let handOnMax = 1_024

  /// Hands on what cannot wait any longer, of the retries and of the queue.
  ///
  /// - Returns: how many of the first of the queue wait elsewhere now.
  func handOnLate(
    _ state: LaneState, _ outage: SinkOutage, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> Int {
    guard hasAlternative(to: state.lane) else { return 0 }
    let (sink, now) = (state.lane.sink, turn.now)
    for retry in try transaction.dueRetries(of: sink, now: now, limit: Self.handOnMax) {
      _ = try handOnLate(retry, outage, &turn, in: transaction)
    }
    let first = state.lane.overdue(at: now, limit: Self.handOnMax)
    for delivery in first {
      let waiting = Retry(sink: sink, delivery: delivery, attempts: 0)
      guard try transaction.isRecorded(delivery.notification),
        try !handOnLate(waiting, outage, &turn, in: transaction)
      else { continue }
      // It stands before one that cannot wait.
      try transaction.saveRetry(waiting, due: now, reason: outage.description)
    }
    if !first.isEmpty {
      try transaction.savePlace(of: sink, through: state.lane.place(withoutFirst: first.count))
    }
    return first.count
  }

  private func hasAlternative(to lane: Lane) -> Bool {
    routes.sinks.values.contains { $0.contains { $0 != lane.sink } }
  }

  /// - Returns: whether it went on to somebody.
  private func handOnLate(
    _ retry: Retry, _ outage: SinkOutage, _ turn: inout Turn, in transaction: StoreTransaction
  ) throws -> Bool {
    guard Lane.isOverdue(retry.delivery, at: turn.now),
      try moveOn(retry, outage.description, &turn, in: transaction)
    else { return false }
    let attempt = Attempt(
      of: retry.delivery, by: retry.sink, at: turn.now, .retry, reason: outage.description)
    try transaction.keepNext(attempt)
    try witness(attempt, &turn, in: transaction)
    return true
  }
}
