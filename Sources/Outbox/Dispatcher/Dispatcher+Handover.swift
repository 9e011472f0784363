package import CivilTime
package import Reminders
package import Store

/// A time has come: what goes to sinks now, and what has to be on disk before it does (rule D1).
extension Dispatcher {
  /// What has to be done before a sink sees a chunk.
  package struct Preparation: OptionSet, Sendable {
    package let rawValue: UInt8
    /// The gates have to be asked again.
    package static let gates = Preparation(rawValue: 1)
    /// That the sink may have it has to be put on record.
    package static let record = Preparation(rawValue: 2)
    /// People's addresses are to be added.
    package static let addressees = Preparation(rawValue: 4)

    package init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  /// What to do for a lane now.
  package mutating func next(_ number: Int, now: Instant) -> Lane.Action {
    guard let index = index(of: number) else { return .none }
    return lanes[index].lane.next(now: now, nextRetry: lanes[index].nextRetry)
  }

  /// Takes what a lane wanted to be read from the store.
  package mutating func supply(
    _ deliveries: [Delivery], through last: Int64?, toLane number: Int
  ) {
    change(number) { $0.lane.supply(deliveries, through: last) }
  }

  package func preparation(
    of chunk: [Delivery], isStale: Bool, lane number: Int
  ) -> Preparation {
    guard let index = index(of: number) else { return [] }
    var preparation: Preparation = isStale ? .gates : []
    if let last = chunk.last, last.notification > lanes[index].handed {
      preparation.insert(.record)
    }
    if lanes[index].needsAddressee { preparation.insert(.addressees) }
    return preparation
  }

  /// What is to be put on record before a chunk is handed over.
  ///
  /// - Parameters:
  ///   - passing: what of it the gates let go.
  ///   - count: how many it were before they were asked.
  package func progress(
    handing passing: [Delivery], of count: Int, lane number: Int
  ) -> LaneProgress? {
    guard let index = index(of: number) else { return nil }
    var progress = LaneProgress(sink: lanes[index].sink)
    if passing.count < count {
      progress.place = lanes[index].lane.place(withoutFirst: count, but: passing)
    }
    if let last = passing.last?.notification, last > lanes[index].handed { progress.handed = last }
    return progress.place == nil && progress.handed == nil ? nil : progress
  }

  /// What is to be handed over is on record.
  package mutating func prepared(
    _ passing: [Delivery], of count: Int, isStale: Bool, lane number: Int
  ) {
    change(number) { state in
      state.handed = max(state.handed, passing.last?.notification ?? 0)
      if isStale { state.lane.keep(passing, of: count) }
    }
  }

  /// Retries are on record as being with the sink.
  package mutating func prepared(_ retries: [Retry], lane number: Int, now: Instant) {
    change(number) { $0.lane.handRetries(retries.count, now: now) }
  }

  /// A sink has a batch from now on.
  ///
  /// - Parameter retries: those that it is made of; none if it is from the queue.
  package mutating func hand(
    _ batch: [Delivery], retries: [Retry] = [], toLane number: Int, now: Instant
  ) {
    change(number) { state in
      state.batch = batch
      state.retries = retries
      state.handedAt = now
    }
  }

  /// What was to be handed over could not be put on record: the lane tries again later.
  package mutating func pause(_ number: Int, _ outage: SinkOutage, now: Instant) {
    change(number) { $0.lane.failed(outage, now: now) }
  }
}
