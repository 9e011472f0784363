package import CivilTime
import Reminders
package import Store

/// Adopts other sinks and routes, at a reload or a start. A start is a reload whose lanes (the
/// queues of sinks) are restored from the store and have nothing in flight.
extension Dispatcher {
  /// Restores the lanes from the store. Orphans, the deliveries that were in flight when the
  /// service ended, have been removed from the lanes before.
  ///
  /// - Parameters:
  ///   - last: the last notification in the store.
  ///   - count: returns the number of notifications after a given one.
  package init(
    restoring stored: [String: StoredLane], last: Int64, now: Instant,
    count: (Int64) throws -> Int
  ) rethrows {
    hasNeverHadLanes = stored.isEmpty
    initialUnread = stored.isEmpty && last > 0 ? try count(0) : 0
    lanes = try stored.sorted { $0.key < $1.key }.map { sink, stored in
      // A lane without channels has nothing to read.
      let cursor = stored.channels.isEmpty ? last : stored.cursor
      let lane = Lane(
        sink: sink, channels: stored.channels, cursor: cursor, last: last,
        unread: cursor < last ? try count(cursor) : 0)
      return LaneState(number: LaneState.restored, lane: lane, now: now)
    }
  }

  /// Returns the notifications in flight that a reload will turn into retries.
  package func detachedNotifications(by configuration: OutboxConfiguration) -> [Int64] {
    lanes.filter { $0.isQueueInFlight && !configuration.keeps($0) }
      .flatMap { $0.batch.map(\.notification) }
  }

  /// Computes the lanes under another configuration. If a queue ends, its deliveries in flight
  /// become retries of their sink, and its waiting deliveries move to the new routes.
  ///
  /// - Parameters:
  ///   - recorded: the elements of `detachedNotifications` that are still in the store.
  ///   - last: the last notification in the store.
  package func succession(
    to configuration: OutboxConfiguration, recorded: Set<Int64>, last: Int64, now: Instant
  ) -> Succession {
    var succession = Succession(routes: configuration.routes, laneCount: laneCount)
    var previousLanes: [String: LaneState] = [:]
    for var state in lanes {
      if !configuration.keeps(state) { succession.detach(&state, recorded, now: now) }
      if !configuration.isUnchanged(state.sink), state.number != LaneState.restored {
        succession.ended.append(state)
      }
      previousLanes[state.sink] = state
      if !configuration.continuesQueue(state.lane) { succession.moveBacklog(of: state.lane) }
    }
    succession.deleted = previousLanes.keys.filter { configuration[$0] == nil }.sorted()
    for sink in configuration.sinks {
      let newLaneStart =
        hasNeverHadLanes ? (cursor: 0, unread: initialUnread) : (cursor: last, unread: 0)
      succession.add(
        sink, configuration, after: previousLanes[sink.name], from: newLaneStart, last, now: now)
    }
    return succession
  }

  /// Adopts a succession that is on disk.
  ///
  /// - Returns: the numbers of the lanes to close now, which have nothing in flight.
  package mutating func adopt(_ succession: Succession) -> [Int] {
    (lanes, routes, laneCount) = (succession.lanes, succession.routes, succession.laneCount)
    hasNeverHadLanes = false
    leaving += succession.ended.filter { !$0.hasNothingInFlight }
    return succession.ended.filter(\.hasNothingInFlight).map(\.number)
  }

  /// Counts the deliveries that the previous run of the service or another node left in flight.
  package mutating func count(_ orphans: Orphans) {
    for index in lanes.indices {
      let sink = lanes[index].sink
      lanes[index].answers.orphaned += orphans.counts[sink] ?? 0
      lanes[index].answers.quarantined += orphans.quarantined.count { $0.sink == sink }
    }
  }
}

/// The properties of a sink that the outbox needs.
package struct SinkTraits: Sendable {
  package var name: String
  /// The maximum number of deliveries of a batch.
  package var window: Int
  /// Whether the sink needs the recipient's addresses or devices.
  package var needsAddressee: Bool
  /// The maximum number of deliveries a second; nil for no limit.
  package var rate: Int?
  /// Seeds the random pauses after outages.
  package var seed: UInt64

  package init(
    name: String, window: Int = 32_768, needsAddressee: Bool = false, rate: Int? = nil,
    seed: UInt64 = 0
  ) {
    (self.name, self.window, self.needsAddressee) = (name, window, needsAddressee)
    (self.rate, self.seed) = (rate, seed)
  }
}

/// The sinks and routes of a configuration.
package struct OutboxConfiguration: Sendable {
  package var sinks: [SinkTraits]
  package var routes: Routes
  /// The names of the sinks that the reload leaves unchanged.
  package var unchanged: Set<String>

  package init(sinks: [SinkTraits], routes: Routes, unchanged: Set<String> = []) {
    (self.sinks, self.routes, self.unchanged) = (sinks, routes, unchanged)
  }

  subscript(name: String) -> SinkTraits? { sinks.first { $0.name == name } }

  /// Returns whether the configuration contains a sink and leaves it unchanged.
  func isUnchanged(_ name: String) -> Bool { unchanged.contains(name) && self[name] != nil }

  /// Returns whether a lane's queue continues, at the same sink or at another sink of the same
  /// name.
  func continuesQueue(_ lane: Lane) -> Bool {
    self[lane.sink] != nil && lane.channels == routes.channels(of: lane.sink)
  }

  /// Returns whether a lane continues unchanged.
  func keeps(_ state: LaneState) -> Bool { isUnchanged(state.sink) && continuesQueue(state.lane) }
}
