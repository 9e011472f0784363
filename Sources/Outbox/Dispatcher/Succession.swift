package import CivilTime
package import Reminders
package import Store

/// The effects of another configuration on the lanes, which are the queues of sinks. They are
/// written in one unit of work, in the order of the properties, and then adopted.
package struct Succession: Sendable {
  /// A move of the deliveries that wait for a lane on a channel. They move to another sink, or
  /// become dead letters if there is none.
  package struct BacklogMove: Hashable, Sendable {
    package let channel: Channel
    /// The lane's cursor: only later deliveries wait.
    package let cursor: Int64
    /// The lane's sink.
    package let sink: String
    /// The first sink of the channel's new route; nil if the channel has none.
    package let newSink: String?
  }

  /// The changes that turn deliveries in flight into retries.
  package private(set) var changes = DeliveryChanges()
  package private(set) var moves: [BacklogMove] = []
  /// The sinks whose lanes end.
  package internal(set) var deleted: [String] = []
  /// The lanes that begin or change.
  package private(set) var stored: [String: StoredLane] = [:]
  package let routes: Routes
  package private(set) var lanes: [LaneState] = []
  /// The sinks of new lanes, with the lanes' numbers.
  package private(set) var begun: [(lane: Int, sink: String)] = []
  /// The lanes whose sinks are no longer current.
  var ended: [LaneState] = []
  /// The number of lanes created since the service's start, the new ones included.
  private(set) var laneCount: Int

  init(routes: Routes, laneCount: Int) {
    (self.routes, self.laneCount) = (routes, laneCount)
  }

  /// Makes a sink's lane evaluate the gates again, because it will read notifications whose retries
  /// were deleted. Some of these retries may have waited because of a gate.
  package mutating func recheckGates(of sink: String) {
    for index in lanes.indices where lanes[index].sink == sink { lanes[index].lane.recheckGates() }
  }

  /// Sets the due times of the lanes' next retries.
  ///
  /// - Parameter nextRetries: when the next retry of each sink is due, once everything is written.
  package mutating func setNextRetries(_ nextRetries: [String: Instant]) {
    for index in lanes.indices { lanes[index].nextRetry = nextRetries[lanes[index].sink] }
  }

  /// Turns the deliveries of a sink's queue that are in flight into retries. Each retry is answered
  /// individually, and attempted again after a crash.
  mutating func detach(_ state: inout LaneState, _ recorded: Set<Int64>, now: Instant) {
    guard state.isQueueInFlight, !state.batch.isEmpty else { return }
    let sink = state.sink
    state.lane = state.lane.detached(withoutFirst: state.batch.count)
    state.retries = state.batch.map { Retry(sink: sink, delivery: $0, attempts: 0) }
    for retry in state.retries where recorded.contains(retry.delivery.notification) {
      changes.wait(retry, due: now, reason: "")
      changes.dispatch(retry.delivery)
    }
  }

  /// Adds a move of a lane's waiting deliveries for each channel of the lane.
  mutating func moveBacklog(of lane: Lane) {
    moves += lane.channels.channels.map { channel in
      BacklogMove(
        channel: channel, cursor: lane.cursor, sink: lane.sink, newSink: routes.first(of: channel))
    }
  }

  /// Adds a sink's lane: the previous lane if nothing changes, a lane that continues the previous
  /// one, or a new lane.
  ///
  /// - Parameters:
  ///   - previous: the lane of an earlier sink with this name; nil if there is none.
  ///   - start: the cursor of a new lane, and the number of notifications after it.
  ///   - last: the newest notification.
  mutating func add(
    _ sink: SinkTraits, _ configuration: OutboxConfiguration, after previous: LaneState?,
    from start: (cursor: Int64, unread: Int), _ last: Int64, now: Instant
  ) {
    let channels = routes.channels(of: sink.name)
    if let previous, configuration.keeps(previous) { return lanes.append(previous) }
    var state: LaneState
    if let previous, configuration.isUnchanged(sink.name) {
      state = previous
      state.lane = previous.lane.rerouted(to: channels)
    } else {
      var lane = Lane(
        sink: sink.name, channels: channels, cursor: start.cursor, last: last, unread: start.unread,
        window: sink.window, rate: sink.rate, seed: sink.seed, now: now)
      if let previous, previous.lane.channels == channels {
        lane = previous.lane.renewed(for: sink, now: now)
      }
      state = LaneState(
        number: laneCount, lane: lane, needsAddressee: sink.needsAddressee, now: now)
      state.answers = previous?.answers ?? state.answers
      begun.append((laneCount, sink.name))
      laneCount += 1
    }
    (state.lastDispatched, state.savedCursor) = (state.lane.cursor, state.lane.cursor)
    stored[sink.name] = StoredLane(
      cursor: state.savedCursor, channels: channels, lastDispatched: state.lastDispatched)
    lanes.append(state)
  }
}
