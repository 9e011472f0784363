package import CivilTime
package import Reminders
package import Store

/// Moves deliveries from a sink in an outage to other sinks (rule D2).
///
/// Deliveries that wait in a lane for the end of an outage are not attempted individually. The
/// retry schedule gives each an instant for the last attempt before its expiry. When that instant
/// has passed, the delivery moves to another sink.
extension Dispatcher {
  /// The maximum number of deliveries that a lane moves to other sinks at once. While the outage
  /// lasts, the lane soon moves more.
  package static let redirectMax = 1_024

  /// Returns the changes to write when a sink accepted nothing from a batch. The batch is no longer
  /// in flight, so that a crash does not repeat it, and its retries wait again.
  ///
  /// - Returns: the changes. `hasMisrouted` is true if the channel of a retry no longer has the
  ///   retry's sink in its route.
  package func requeue(
    _ part: BatchPart = .all, from number: Int
  ) -> (effects: OutboxEffects, hasMisrouted: Bool) {
    var effects = OutboxEffects()
    guard let state = lane(number), let dispatched = DispatchedBatch(part, of: state) else {
      return (effects, false)
    }
    for retry in dispatched.retries { effects.changes.requeue(retry.delivery) }
    if dispatched.retries.isEmpty, isCurrent(number) {
      effects.progress.append(LaneProgress(sink: state.sink, lastDispatched: state.lane.cursor))
    }
    let hasMisrouted = dispatched.retries.contains {
      !routes.carries($0.delivery.channel, by: $0.sink)
    }
    return (effects, hasMisrouted)
  }

  /// Returns whether another sink could take over from a current lane.
  package func hasAlternative(to number: Int) -> Bool {
    guard let state = lane(number), isCurrent(number) else { return false }
    return routes.sinks.values.contains { $0.contains { $0 != state.sink } }
  }

  /// Returns the deliveries of a lane that cannot wait for the end of the sink's outage.
  ///
  /// - Parameter retries: the due retries of the lane's sink.
  /// - Returns: nil if all of them can wait.
  package func lateDeliveries(behind number: Int, retries: [Retry], now: Instant) -> LateDeliveries?
  {
    guard let index = index(of: number) else { return nil }
    let lane = lanes[index].lane
    let queueHead = lane.overdue(at: now, limit: Self.redirectMax)
    let late = LateDeliveries(
      sink: lane.sink,
      retries: retries.filter { retry in
        !retry.delivery.isWithdrawal && Lane.isOverdue(retry.delivery, at: now)
      },
      queueHead: Array(queueHead), cursor: lane.cursor(withoutFirst: queueHead.count))
    return late.isEmpty ? nil : late
  }

  /// Returns the overdue deliveries that have no next sink on their channel. The caller looks up
  /// fallback channels for these deliveries.
  package func exhaustedDeliveries(
    of late: LateDeliveries, among recorded: Set<Int64>, now: Instant
  ) -> [Delivery] {
    let settlement = Settlement(routes, DeliveryKnowledge(recorded: recorded), now: now)
    let overdueInQueue = late.queueHeadRetries.filter {
      recorded.contains($0.delivery.notification) && Lane.isOverdue($0.delivery, at: now)
    }
    return (late.retries + overdueInQueue).filter(settlement.isLast).map(\.delivery)
  }

  /// Returns the effects that move the deliveries which cannot wait any longer to other sinks.
  package func redirect(
    _ late: LateDeliveries, _ outage: SinkOutage, knowing known: DeliveryKnowledge, now: Instant
  ) -> OutboxEffects {
    let failing = Set(lanes.filter { $0.lane.outages > 0 }.map(\.sink)).union([late.sink])
    var settlement = Settlement(routes, known, failing: failing, now: now)
    for retry in late.retries { _ = settlement.redirect(retry, outage, now: now) }
    for retry in late.queueHeadRetries where known.recorded.contains(retry.delivery.notification) {
      if Lane.isOverdue(retry.delivery, at: now), settlement.redirect(retry, outage, now: now) {
        continue
      }
      // This delivery can wait, but precedes a delivery that cannot, so it leaves the queue too.
      settlement.effects.changes.wait(retry, due: now, reason: outage.description)
    }
    if !late.queueHead.isEmpty {
      settlement.effects.progress.append(LaneProgress(sink: late.sink, cursor: late.cursor))
    }
    return settlement.effects
  }

  /// Applies an outage of a sink, once the outage is recorded on disk.
  ///
  /// - Parameter count: the number of deliveries that leave the start of the sink's queue and
  ///   become retries.
  /// - Returns: the number of the lane if it is no longer current and is to be closed now;
  ///   otherwise nil.
  package mutating func fail(
    _ number: Int, _ outage: SinkOutage, redirected count: Int, now: Instant
  ) -> Int? {
    guard isCurrent(number) else { return releaseFailed(number) }
    change(number) { state in
      if state.isQueueInFlight { state.lastDispatched = state.lane.cursor }
      state.release()
      state.lane.recordOutage(outage, now: now)
      if count > 0 {
        state.lane.skip(count: count)
        state.savedCursor = state.lane.cursor
      }
      state.record(outage, now: now)
    }
    return nil
  }

  /// Applies an outage of a sink for the stragglers of an earlier batch, once it is on disk.
  /// Stragglers are deliveries for whose answers the lane does not wait. Whether the lane continues
  /// depends on the answer to its current batch.
  ///
  /// - Returns: the number of the lane if it is no longer current and is to be closed now;
  ///   otherwise nil.
  package mutating func failStragglers(
    _ stragglersNumber: Int, of number: Int, _ outage: SinkOutage, now: Instant
  ) -> Int? {
    guard isCurrent(number) else { return releaseFailed(number, stragglersNumber) }
    change(number) { state in
      state.release(stragglersNumber)
      state.record(outage, now: now)
    }
    return nil
  }

  /// Removes deliveries from a lane that is no longer current, after an outage of its sink. Returns
  /// the lane's number if the lane is to be closed now; otherwise nil.
  private mutating func releaseFailed(_ number: Int, _ stragglersNumber: Int? = nil) -> Int? {
    releaseFromLeavingLane(number) { state in
      state.release(stragglersNumber)
      return .outage
    }
  }
}

/// The deliveries that cannot wait for the end of their sink's outage.
package struct LateDeliveries: Sendable {
  /// The name of the sink.
  let sink: String
  /// The retries that are overdue.
  let retries: [Retry]
  /// The start of the queue, up to the last overdue delivery.
  let queueHead: [Delivery]
  /// The lane's cursor after `queueHead`.
  let cursor: Int64

  var isEmpty: Bool { retries.isEmpty && queueHead.isEmpty }

  /// The start of the queue, as retries.
  var queueHeadRetries: [Retry] { queueHead.map { Retry(sink: sink, delivery: $0, attempts: 0) } }

  /// The number of deliveries that leave the start of the queue and become retries.
  package var leavingCount: Int { queueHead.count }

  /// The notifications of `queueHead`.
  package var notifications: [Int64] { queueHead.map(\.notification) }
}

extension Settlement {
  /// Moves a delivery to another sink or channel, if there is one.
  ///
  /// - Returns: whether it has moved.
  fileprivate mutating func redirect(
    _ retry: Retry, _ outage: SinkOutage, now: Instant
  ) -> Bool {
    guard moveOn(retry, outage.description) else { return false }
    let attempt = Attempt(
      of: retry.delivery, by: retry.sink, at: now, .retry, reason: outage.description)
    effects.add(attempt, isFirst: false)
    return true
  }
}
