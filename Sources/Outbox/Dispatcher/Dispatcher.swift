package import CivilTime
package import Reminders
package import Store

/// All that is on its way to sinks, decided: lanes, answers, outages, retries, routes and adoption
/// (rules D1 to D3). It knows no clock, no store and no sink; the engine does what it says.
///
/// An input has two halves. The first changes nothing: it says what is to be written, in a unit of
/// work that may yet fail. The second takes for done what is on disk.
///
/// A lane is spoken of by its number, which no other lane has since the start.
package struct Dispatcher: Sendable {
  /// Those in force.
  package internal(set) var lanes: [LaneState] = []
  /// Those that are not in force any more, whose sinks have not answered yet for what they have.
  package internal(set) var leaving: [LaneState] = []
  package internal(set) var routes = Routes([:])
  /// That of analytics events; nil while they have no route.
  package internal(set) var analytics: AnalyticsLane?
  /// The names of the sinks that an operator has paused: they are handed nothing, and what is for
  /// them waits. What expires meanwhile is dropped when it is their turn again.
  package var paused: Set<String> = []
  /// How many lanes there have been since the start.
  var laneCount = 0
  /// Whether there was no lane ever: the first ones begin with the first notification.
  var isVeryFirst = false
  /// How many notifications there were then all the same.
  var unreadAtFirst = 0

  /// After how many notifications that were for others a lane's place is written down, so that a
  /// start has no more of them to pass over.
  static let placeLagMax: Int64 = 65_536

  /// Nothing to carry and nobody to carry it.
  package init() {}

  /// Whether no sink has a batch that it has not answered for.
  package var isQuiet: Bool {
    leaving.isEmpty && lanes.allSatisfy(\.isQuiet) && isAnalyticsQuiet
  }

  /// Whether sinks have answered for everything, retries aside.
  package var isIdle: Bool { lanes.allSatisfy(\.lane.isIdle) }

  /// The numbers of the lanes whose sinks have nothing and may have something.
  package var free: [Int] {
    lanes.filter { $0.batch.isEmpty && !paused.contains($0.sink) }.map(\.number)
  }

  package var sinks: [String] { lanes.map(\.sink) }

  package func isInForce(_ number: Int) -> Bool { index(of: number) != nil }

  /// A lane, be it in force or not.
  package func lane(_ number: Int) -> LaneState? {
    lanes.first { $0.number == number } ?? leaving.first { $0.number == number }
  }

  func index(of number: Int) -> Int? { lanes.firstIndex { $0.number == number } }

  /// Changes a lane in force where it is: a copy would be one of its queue.
  mutating func change(_ number: Int, _ body: (inout LaneState) -> Void) {
    if let index = index(of: number) { body(&lanes[index]) }
  }

  /// When a lane needs a turn. One that is with its sink needs none: the answer brings it.
  package func wake(now: Instant) -> Instant? {
    let wakes = lanes.lazy.filter { [paused] in !paused.contains($0.sink) }
      .compactMap { $0.lane.wake(now: now, nextRetry: $0.nextRetry) }
    return [wakes.min(), analyticsWake(now: now)].compactMap { $0 }.min()
  }

  package mutating func clockWasSetBack(to now: Instant) {
    for index in lanes.indices { lanes[index].lane.clockWasSetBack(to: now) }
    analytics?.clockWasSetBack(to: now)
  }

  /// Takes out of the queues what waits for an erased recipient; what is with a sink is out of our
  /// hands.
  package mutating func forget(_ row: UInt32) { forget([row]) }

  /// The same for some recipients who are another node's.
  package mutating func forget(_ rows: Set<UInt32>) {
    for index in lanes.indices {
      lanes[index].lane.forget(rows, butFirst: lanes[index].countOfQueueWithSink)
    }
  }
}

// MARK: - What is recorded

extension Dispatcher {
  /// What a unit of work has for a lane, and what of it the sink is going to have when it is done.
  package struct Offer: Sendable {
    package let sink: String
    package let deliveries: [Delivery]
    let nextRetry: Instant?
    /// The lane's place, if it is to be written down.
    let place: Int64?
    /// Up to which notification the sink is going to have everything; nil if that is on disk.
    let handed: Int64?

    package var progress: LaneProgress? {
      guard place != nil || handed != nil else { return nil }
      return LaneProgress(sink: sink, place: place, handed: handed)
    }
  }

  /// Sorts by lanes what has been recorded, and foretells what their sinks are going to have.
  ///
  /// - Parameters:
  ///   - answered: for how many of its queue a lane's sink has answered in this unit of work, by
  ///     the lane's number.
  ///   - nextRetries: when the next retry of each sink is due once the unit of work is done.
  ///   - isHandingOver: whether sinks are given anything.
  ///   - paused: the sinks that are paused once the unit of work is done.
  /// - Returns: one for each lane in force, in their order.
  package func offers(
    of deliveries: [Delivery], answered: [Int: Int], nextRetries: [String: Instant],
    isHandingOver: Bool, paused: Set<String>, now: Instant
  ) -> [Offer] {
    lanes.map { state in
      let own = state.lane.own(deliveries)
      let (count, nextRetry) = (answered[state.number], nextRetries[state.sink])
      // While the sink has something, its answers write the place.
      let isBehind =
        state.lane.place - state.saved > Self.placeLagMax && !state.lane.isWithSink
      let handed =
        isHandingOver && !paused.contains(state.sink)
        ? state.lane.prospect(answered: count, offered: own, nextRetry: nextRetry, now: now) : nil
      return Offer(
        sink: state.sink, deliveries: own, nextRetry: nextRetry,
        place: isBehind ? state.lane.place : nil,
        handed: handed.flatMap { $0 > state.handed ? $0 : nil })
    }
  }

  /// What was offered is on disk.
  ///
  /// - Parameter last: the last notification recorded, delivered or not; nil if none was.
  package mutating func take(_ offers: [Offer], through last: Int64?) {
    for (index, offer) in zip(lanes.indices, offers) {
      lanes[index].nextRetry = offer.nextRetry
      lanes[index].handed = offer.handed ?? lanes[index].handed
      lanes[index].saved = offer.place ?? lanes[index].saved
      if let last { lanes[index].lane.offer(offer.deliveries, through: last) }
    }
  }
}
