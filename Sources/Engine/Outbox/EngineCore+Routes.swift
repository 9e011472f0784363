import CivilTime
import Outbox
import Reminders
import Store

extension EngineCore {
  /// Makes the lanes, each from where it was, and lets what the sinks of before have left go on.
  func loadLanes(
    of sinks: [any Sink], _ limits: [String: SinkLimits], now: Instant,
    in transaction: any StoreWriter
  ) throws {
    let orphans = try takeOrphans(now: now, in: transaction)
    let known = try transaction.lanes()
    try moveOn(known, to: sinks, now: now, in: transaction)
    for sink in sinks {
      var state = try loadLane(
        of: sink, limits[sink.name] ?? SinkLimits(), known, now: now, in: transaction)
      state.answers.orphaned = orphans.counts[sink.name] ?? 0
      state.answers.setAside = orphans.setAside.count { $0.sink == sink.name }
      lanes.append(state)
      laneCount += 1
    }
    for (sink, count) in orphans.counts.sorted(by: { $0.key < $1.key }) {
      actions.report(.orphaned(count: count, sink: sink))
    }
    for culprit in orphans.setAside {
      actions.report(.dead(culprit, reason: Suspicion.reason))
    }
  }

  /// What waited for a sink that has not the same channels any more, or that is gone, becomes a
  /// retry of the sink that is the first choice for it now.
  private func moveOn(
    _ known: [String: StoredLane], to sinks: [any Sink], now: Instant,
    in transaction: any StoreWriter
  ) throws {
    let names = Set(sinks.map(\.name))
    for (name, lane) in known where !isSame(lane, name, names) {
      for channel in lane.channels.channels {
        try transaction.moveBacklog(
          of: channel, after: lane.place, from: name, to: routes.first(of: channel), now: now)
      }
    }
    try transaction.deleteLanes(of: known.keys.filter { !names.contains($0) })
    try moveStrays(by: routes, in: transaction)
  }

  /// What is in retry with sinks that do not carry its channel begins with the first that does.
  func moveStrays(by routes: Routes, in transaction: any StoreWriter) throws {
    for (sink, channel) in try transaction.carriers() where !routes.carries(channel, by: sink) {
      try transaction.moveRetries(of: sink, on: channel, to: routes.first(of: channel))
    }
  }

  private func isSame(_ lane: StoredLane, _ name: String, _ names: Set<String>) -> Bool {
    names.contains(name) && lane.channels == routes.channels(of: name)
  }

  /// One whose channels are the same goes on where it was; another begins with what comes from now
  /// on. The very first begins at the beginning.
  private func loadLane(
    of sink: any Sink, _ limits: SinkLimits, _ known: [String: StoredLane], now: Instant,
    in transaction: any StoreWriter
  ) throws -> LaneState {
    let (last, channels) = (transaction.lastNotification, routes.channels(of: sink.name))
    var stored = StoredLane(place: known.isEmpty ? 0 : last, channels: channels, handed: 0)
    if let before = known[sink.name], before.channels == channels, !channels.isEmpty {
      stored = before
    }
    stored.handed = max(stored.handed, stored.place)
    if stored != known[sink.name] { try transaction.save(lanes: [sink.name: stored]) }
    let hasHeld = try transaction.forgetHeld(
      of: sink.name, after: stored.place, on: channels)
    let lane = Lane(
      sink: sink.name, channels: channels, place: stored.place, last: last,
      staleThrough: hasHeld ? last : stored.handed, window: sink.window, rate: limits.rate,
      // A jitter: two lanes may have the same.
      seed: stableHash(store.instance + sink.name), now: now)
    var state = LaneState(
      number: laneCount, lane: lane, sink: sink, handed: stored.handed, now: now)
    state.nextRetry = try transaction.nextRetry(of: sink.name)
    return state
  }
}

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
    _ state: LaneState, _ outage: SinkOutage, _ turn: inout Turn, in transaction: any StoreWriter
  ) throws -> Int {
    guard hasAlternative(to: state.lane) else { return 0 }
    let (sink, now) = (state.lane.sink, turn.now)
    let retries = try transaction.dueRetries(
      of: sink, now: now, limit: Self.handOnMax, batchMax: { _ in .max })
    let first = state.lane.overdue(at: now, limit: Self.handOnMax)
    guard !retries.isEmpty || !first.isEmpty else { return 0 }
    let recorded = try transaction.recorded(among: first.map(\.notification))
    var handling = Handling(
      candidates: retries.map(\.delivery.notification) + first.map(\.notification))
    for retry in retries { _ = try handOnLate(retry, outage, &handling, &turn, in: transaction) }
    for delivery in first where recorded.contains(delivery.notification) {
      let waiting = Retry(sink: sink, delivery: delivery, attempts: 0)
      guard try !handOnLate(waiting, outage, &handling, &turn, in: transaction) else { continue }
      // It stands before one that cannot wait.
      handling.changes.wait(waiting, due: now, reason: outage.description)
    }
    try transaction.keep(handling.changes)
    try observer(handling.changes.laterAttempts, &turn, in: transaction)
    if !first.isEmpty {
      let place = state.lane.place(withoutFirst: first.count)
      try transaction.save([LaneProgress(sink: sink, place: place)])
    }
    return first.count
  }

  private func hasAlternative(to lane: Lane) -> Bool {
    routes.sinks.values.contains { $0.contains { $0 != lane.sink } }
  }

  /// - Returns: whether it went on to somebody.
  private func handOnLate(
    _ retry: Retry, _ outage: SinkOutage, _ handling: inout Handling, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws -> Bool {
    guard Lane.isOverdue(retry.delivery, at: turn.now),
      try moveOn(retry, outage.description, &handling, &turn, in: transaction)
    else { return false }
    let attempt = Attempt(
      of: retry.delivery, by: retry.sink, at: turn.now, .retry, reason: outage.description)
    handling.keep(attempt, isFirst: false)
    return true
  }
}
