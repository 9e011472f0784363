package import CivilTime
package import Reminders
package import Store

/// The state machine of the outbox: lanes (the queues of sinks), answers, outages, retries, routes
/// and reloads (rules D1 to D3). It has no clock, store or sink; the engine carries out its
/// decisions.
///
/// An input has two halves. The first changes nothing: it returns what to write, in a unit of work
/// that may still fail. The second applies what is on disk.
///
/// A lane is identified by its number, which is unique since the service's start.
package struct Dispatcher: Sendable {
  /// The current lanes.
  package internal(set) var lanes: [LaneState] = []
  /// The lanes that are no longer current and have deliveries in flight.
  package internal(set) var leaving: [LaneState] = []
  package internal(set) var routes = Routes([:])
  /// The lanes of analytics events, by their routes.
  package internal(set) var analytics: [AnalyticsRoute: AnalyticsLane] = [:]
  /// The names of the sinks that an operator has paused: nothing is dispatched to them, and their
  /// deliveries wait. A delivery that expires meanwhile is dropped when it would be dispatched.
  package var paused: Set<String> = []
  /// The number of lanes created since the service's start.
  var laneCount = 0
  /// Whether there has never been a lane. If so, the first lanes begin with the first notification.
  var hasNeverHadLanes = false
  /// The number of notifications that already exist although there has never been a lane.
  var initialUnread = 0

  /// The maximum difference between a lane's cursor and its copy on disk, in notifications. It
  /// limits the notifications of other lanes that a start reads and skips.
  static let cursorLagMax: Int64 = 65_536

  /// An outbox without deliveries and lanes.
  package init() {}

  /// Whether no delivery and no analytics event is in flight.
  package var hasNothingInFlight: Bool {
    leaving.isEmpty && lanes.allSatisfy(\.hasNothingInFlight) && hasNoAnalyticsBatch
  }

  /// Whether no lane has unanswered notifications, in memory or in the store. Retries do not count.
  package var isIdle: Bool { lanes.allSatisfy(\.lane.isIdle) }

  /// The numbers of the lanes that have no batch in flight and are not paused. Stragglers, the
  /// unanswered deliveries of earlier batches, may be in flight.
  package var free: [Int] {
    lanes.filter { $0.batch.isEmpty && !paused.contains($0.sink) }.map(\.number)
  }

  /// The names of the current lanes' sinks.
  package var sinks: [String] { lanes.map(\.sink) }

  /// Returns whether a current lane has this number.
  package func isCurrent(_ number: Int) -> Bool { index(of: number) != nil }

  /// Returns the lane with this number, current or not.
  package func lane(_ number: Int) -> LaneState? {
    lanes.first { $0.number == number } ?? leaving.first { $0.number == number }
  }

  func index(of number: Int) -> Int? { lanes.firstIndex { $0.number == number } }

  /// Changes a current lane in place, because a copy of the lane would copy its queue.
  mutating func change(_ number: Int, _ body: (inout LaneState) -> Void) {
    if let index = index(of: number) { body(&lanes[index]) }
  }

  /// Returns the earliest instant at which a lane needs an engine cycle; nil if no lane needs one.
  /// A lane with a batch in flight needs none, because its answer causes one.
  package func wake(now: Instant) -> Instant? {
    let wakes = lanes.lazy.filter { [paused] in !paused.contains($0.sink) }
      .compactMap { $0.lane.wake(now: now, nextRetry: $0.nextRetry) }
    return [wakes.min(), analyticsWake(now: now)].compactMap { $0 }.min()
  }

  package mutating func clockWasSetBack(to now: Instant) {
    for index in lanes.indices { lanes[index].lane.clockWasSetBack(to: now) }
    changeAnalytics { $0.clockWasSetBack(to: now) }
  }

  /// Removes the waiting deliveries of an erased recipient. Deliveries in flight cannot be stopped.
  package mutating func forget(_ row: UInt32) { forget([row]) }

  /// Removes the waiting deliveries of recipients that now belong to another node.
  package mutating func forget(_ rows: Set<UInt32>) {
    for index in lanes.indices {
      lanes[index].lane.forget(rows, butFirst: lanes[index].queueInFlightCount)
    }
  }

  /// Requires that the gates are evaluated again for all waiting deliveries.
  package mutating func recheckGates() {
    for index in lanes.indices { lanes[index].lane.recheckGates() }
  }
}

// MARK: - Recording

extension Dispatcher {
  /// The new deliveries that a unit of work records for a lane, and the lane's progress after it.
  package struct Offer: Sendable {
    package let sink: String
    package let deliveries: [Delivery]
    /// When the next retry of the sink is due after the unit of work; nil if there is none.
    let nextRetry: Instant?
    /// The lane's cursor, if it has to be written; nil otherwise.
    let cursor: Int64?
    /// The last notification that will have been dispatched; nil if the store records it already.
    let lastDispatched: Int64?

    package var progress: LaneProgress? {
      guard cursor != nil || lastDispatched != nil else { return nil }
      return LaneProgress(sink: sink, cursor: cursor, lastDispatched: lastDispatched)
    }
  }

  /// Sorts recorded deliveries by lane, and predicts which of them will be in flight.
  ///
  /// - Parameters:
  ///   - answered: how many deliveries of each lane's queue its sink has answered in this unit of
  ///     work, by lane number.
  ///   - nextRetries: when the next retry of each sink is due after the unit of work.
  ///   - isDispatching: whether anything is dispatched.
  ///   - paused: the sinks that are paused after the unit of work.
  /// - Returns: an offer for each current lane, in the order of `lanes`.
  package func offers(
    of deliveries: [Delivery], answered: [Int: Int], nextRetries: [String: Instant],
    isDispatching: Bool, paused: Set<String>, now: Instant
  ) -> [Offer] {
    lanes.map { state in
      let laneDeliveries = state.lane.deliveriesOfLane(among: deliveries)
      let (answeredCount, nextRetry) = (answered[state.number], nextRetries[state.sink])
      // While a batch is in flight, its answers write the cursor.
      let isBehind =
        state.lane.cursor - state.savedCursor > Self.cursorLagMax && !state.lane.hasBatchInFlight
      let lastDispatched =
        isDispatching && !paused.contains(state.sink)
        ? state.lane.forecast(
          answered: answeredCount, offered: laneDeliveries, nextRetry: nextRetry, now: now) : nil
      return Offer(
        sink: state.sink, deliveries: laneDeliveries, nextRetry: nextRetry,
        cursor: isBehind ? state.lane.cursor : nil,
        lastDispatched: lastDispatched.flatMap { $0 > state.lastDispatched ? $0 : nil })
    }
  }

  /// Applies offers that are on disk.
  ///
  /// - Parameter last: the last notification recorded, with or without deliveries; nil if there was
  ///   none.
  package mutating func apply(_ offers: [Offer], through last: Int64?) {
    for (index, offer) in zip(lanes.indices, offers) {
      lanes[index].nextRetry = offer.nextRetry
      lanes[index].lastDispatched = offer.lastDispatched ?? lanes[index].lastDispatched
      lanes[index].savedCursor = offer.cursor ?? lanes[index].savedCursor
      if let last { lanes[index].lane.offer(offer.deliveries, through: last) }
    }
  }
}
