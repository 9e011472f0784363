package import CivilTime
package import Reminders
package import Store

/// Determines the next actions of lanes, and the records to commit before a sink gets deliveries
/// (rule D1). A chunk contains the next deliveries of a lane's queue.
extension Dispatcher {
  /// The steps required before a chunk is dispatched.
  package struct Preparation: OptionSet, Sendable {
    package let rawValue: UInt8
    /// Evaluate the gates again.
    package static let gates = Preparation(rawValue: 1)
    /// Record the dispatch.
    package static let record = Preparation(rawValue: 2)
    /// Add the recipients' addresses.
    package static let addressees = Preparation(rawValue: 4)

    package init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  /// Returns the next action of a lane and updates the lane.
  package mutating func next(_ number: Int, now: Instant) -> Lane.Action {
    guard let index = index(of: number) else { return .none }
    return lanes[index].lane.next(now: now, nextRetry: lanes[index].nextRetry)
  }

  /// Adds deliveries that a lane requested from the store.
  ///
  /// - Parameter last: the last notification that was read; nil if there was none.
  package mutating func supply(
    _ deliveries: [Delivery], through last: Int64?, toLane number: Int
  ) {
    change(number) { $0.lane.supply(deliveries, through: last) }
  }

  /// Returns the steps required before a chunk is dispatched.
  package func preparation(
    of chunk: [Delivery], isStale: Bool, lane number: Int
  ) -> Preparation {
    guard let index = index(of: number) else { return [] }
    var preparation: Preparation = isStale ? .gates : []
    if let last = chunk.last, last.notification > lanes[index].lastDispatched {
      preparation.insert(.record)
    }
    if lanes[index].needsAddressee { preparation.insert(.addressees) }
    return preparation
  }

  /// Returns the progress to record before a chunk is dispatched; nil if nothing changes.
  ///
  /// - Parameters:
  ///   - passing: the deliveries that the gates pass.
  ///   - count: the number of deliveries before the gates were evaluated.
  package func progress(
    dispatching passing: [Delivery], of count: Int, lane number: Int
  ) -> LaneProgress? {
    guard let index = index(of: number) else { return nil }
    var progress = LaneProgress(sink: lanes[index].sink)
    if passing.count < count {
      progress.cursor = lanes[index].lane.cursor(withoutFirst: count, keeping: passing)
    }
    if let last = passing.last?.notification, last > lanes[index].lastDispatched {
      progress.lastDispatched = last
    }
    return progress.cursor == nil && progress.lastDispatched == nil ? nil : progress
  }

  /// Applies the recorded progress of a chunk.
  ///
  /// - Parameters:
  ///   - passing: the deliveries that the gates pass.
  ///   - count: the number of deliveries before the gates were evaluated.
  ///   - isStale: whether the gates were evaluated again.
  package mutating func confirmPreparation(
    _ passing: [Delivery], of count: Int, isStale: Bool, lane number: Int
  ) {
    change(number) { state in
      state.lastDispatched = max(state.lastDispatched, passing.last?.notification ?? 0)
      if isStale { state.lane.retain(passing, of: count) }
    }
  }

  /// Marks retries as in flight, once the store has recorded them as dispatched.
  package mutating func beginRetries(_ retries: [Retry], lane number: Int, now: Instant) {
    change(number) { $0.lane.dispatchRetries(retries.count, now: now) }
  }

  /// Marks a batch as in flight.
  ///
  /// - Parameter retries: the retries in the batch; empty for a batch from the queue.
  package mutating func dispatch(
    _ batch: [Delivery], retries: [Retry] = [], toLane number: Int, now: Instant
  ) {
    change(number) { state in
      state.batch = batch
      state.retries = retries
      state.dispatchedAt = now
    }
  }

  /// Pauses a lane because its dispatch could not be recorded. The lane tries again later.
  package mutating func pause(_ number: Int, _ outage: SinkOutage, now: Instant) {
    change(number) { $0.lane.recordOutage(outage, now: now) }
  }
}
