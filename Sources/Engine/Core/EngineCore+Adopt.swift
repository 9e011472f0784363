import CivilTime
import Outbox
import Reminders
import Store

/// Another configuration while the service runs (rule S1): all of it in one transaction, and
/// nothing of it if that fails.
extension EngineCore {
  /// - Parameter open: the requests to adopt something, without an answer yet.
  func adopt(_ open: inout [Request], now: Instant) throws(StoreError) {
    while case .adopt(let arrangement, let answer)? = open.first {
      if isDraining {
        let stopping = ServiceUnavailable(
          .stopping, "the service is stopping and takes nothing in")
        refuse(open.removeFirst(), stopping)
        continue
      }
      do {
        try adopt(arrangement, now: now)
      } catch {
        guard case .full = error else { throw error }
        refuse(open.removeFirst(), error)
        continue
      }
      open.removeFirst()
      publish(now: now)
      answer(.success(planner))
    }
  }

  private func adopt(_ arrangement: RuntimeConfiguration, now: Instant) throws(StoreError) {
    let planner = upToDate(arrangement.planner)
    let succession = try store.commit { transaction in
      try keep(planner, isDone: recipients == 0, in: transaction)
      if planner.fingerprint != self.planner.fingerprint {
        try keepPlanStart(now, in: transaction)
      }
      return try handOn(to: arrangement, now: now, in: transaction)
    }
    plan(with: planner)
    routes = arrangement.routes
    pruning.retention = arrangement.retention
    take(succession, arrangement.limits)
  }

  /// The zones may have changed after a planner was made.
  private func upToDate(_ planner: Planner) -> Planner {
    let zones = self.planner.zones
    guard planner.zones.generation < zones.generation,
      let zone = try? zones.zone(named: planner.defaultZone.name)
    else { return planner }
    return planner.renewed(zones: zones, defaultZone: zone)
  }

  /// Goes by another planner from now on; who was planned with the old one has their turn.
  func plan(with planner: Planner) {
    if stale.isEmpty { stalePlanner = self.planner }
    noteZones(of: planner)
    self.planner = planner
    stale.append(upTo: timers.count - 1)
  }

  // MARK: - Lanes

  /// What becomes of the lanes.
  private struct Succession {
    var lanes: [LaneState] = []
    /// Sinks that begin, with the numbers of their lanes.
    var begun: [(lane: Int, sink: any Sink)] = []
    /// Those whose sinks are not in force any more.
    var ended: [LaneState] = []
  }

  /// Puts on record what the lanes are to be. What is with a sink whose queue does not go on is a
  /// retry that the sink has; what waited for it goes by the new routes.
  private func handOn(
    to arrangement: RuntimeConfiguration, now: Instant, in transaction: any StoreWriter
  ) throws -> Succession {
    let names = Set(arrangement.sinks.map(\.name))
    var succession = Succession()
    var before: [String: LaneState] = [:]
    for var state in lanes {
      let name = state.lane.sink
      let isKept = arrangement.kept.contains(name) && names.contains(name)
      let isSameRoute = state.lane.channels == arrangement.routes.channels(of: name)
      if !isKept || !isSameRoute { try detach(&state, now: now, in: transaction) }
      if !isKept { succession.ended.append(state) }
      before[name] = state
      guard !names.contains(name) || !isSameRoute else { continue }
      try moveBacklog(of: state, to: arrangement.routes, now: now, in: transaction)
    }
    try transaction.deleteLanes(of: before.keys.filter { !names.contains($0) })
    try moveStrays(by: arrangement.routes, in: transaction)
    for sink in arrangement.sinks {
      let state = try lane(
        of: sink, after: before[sink.name], arrangement, &succession, now: now, in: transaction)
      succession.lanes.append(state)
    }
    return succession
  }

  /// Makes retries of what a sink has from its queue: each is answered for on its own, and
  /// attempted again after a crash.
  private func detach(
    _ state: inout LaneState, now: Instant, in transaction: any StoreWriter
  ) throws {
    guard state.retries.isEmpty, !state.batch.isEmpty else { return }
    let sink = state.lane.sink
    state.lane = state.lane.detached(from: state.batch.count)
    state.retries = state.batch.map { Retry(sink: sink, delivery: $0, attempts: 0) }
    let recorded = try transaction.recorded(among: state.batch.map(\.notification))
    var changes = DeliveryChanges()
    for retry in state.retries where recorded.contains(retry.delivery.notification) {
      changes.wait(retry, due: now, reason: "")
      changes.hand(retry.delivery)
    }
    try transaction.keep(changes)
  }

  private func moveBacklog(
    of state: LaneState, to routes: Routes, now: Instant, in transaction: any StoreWriter
  ) throws {
    for channel in state.lane.channels.channels {
      try transaction.moveBacklog(
        of: channel, after: state.lane.place, from: state.lane.sink, to: routes.first(of: channel),
        now: now)
    }
  }

  /// The lane of a sink: the one that it had, one that goes on where that of the same name was, or
  /// one that begins with what comes from now on.
  private func lane(
    of sink: any Sink, after before: LaneState?, _ arrangement: RuntimeConfiguration,
    _ succession: inout Succession, now: Instant, in transaction: any StoreWriter
  ) throws -> LaneState {
    let channels = arrangement.routes.channels(of: sink.name)
    var state: LaneState
    if var before, arrangement.kept.contains(sink.name) {
      guard before.lane.channels != channels else {
        before.nextRetry = try transaction.nextRetry(of: sink.name)
        return before
      }
      before.lane = before.lane.rerouted(to: channels)
      state = before
    } else {
      let number = laneCount + succession.begun.count
      succession.begun.append((number, sink))
      state = newLane(of: sink, number, after: before, arrangement, now: now, in: transaction)
    }
    state.handed = state.lane.place
    state.saved = state.lane.place
    let stored = StoredLane(place: state.saved, channels: channels, handed: state.handed)
    try transaction.save(lanes: [sink.name: stored])
    state.nextRetry = try transaction.nextRetry(of: sink.name)
    return state
  }

  private func newLane(
    of sink: any Sink, _ number: Int, after before: LaneState?, _ arrangement: RuntimeConfiguration,
    now: Instant, in transaction: any StoreWriter
  ) -> LaneState {
    let channels = arrangement.routes.channels(of: sink.name)
    let rate = arrangement.limits[sink.name]?.rate
    var lane = Lane(
      sink: sink.name, channels: channels, place: transaction.lastNotification,
      last: transaction.lastNotification, window: sink.window, rate: rate,
      // A jitter: two lanes may have the same.
      seed: stableHash(store.instance + sink.name), now: now)
    if let before, before.lane.channels == channels {
      lane = before.lane.renewed(window: sink.window, rate: rate, now: now)
    }
    var state = LaneState(
      number: number, lane: lane, sink: sink, handed: lane.place, now: now)
    if let before { state.answers = before.answers }
    return state
  }

  private func take(_ succession: Succession, _ limits: [String: SinkLimits]) {
    lanes = succession.lanes
    laneCount += succession.begun.count
    for (number, sink) in succession.begun {
      actions.open(lane: number, for: sink, limits[sink.name] ?? SinkLimits())
    }
    for state in succession.ended {
      if state.batch.isEmpty {
        actions.close(lane: state.number)
      } else {
        leaving.append(state)
      }
    }
  }

  // MARK: - Sinks that leave

  /// Records what a sink that is not in force any more said to the last that it had. What it does
  /// not take goes by the routes in force.
  func recordLast(
    _ result: Result<[SinkAnswer], SinkOutage>, lane number: Int, _ turn: inout Turn,
    in transaction: any StoreWriter
  ) throws {
    guard let state = leaving.first(where: { $0.number == number }) else { return }
    var counted = LaneCounters()
    switch checked(result, against: state.batch) {
    case .failure:
      try takeBack(state.retries, in: transaction)
      counted.outages = 1
    case .success(let answers):
      try record(answers, state, &turn, in: transaction)
      try observer(answers, state, &turn, in: transaction)
      counted = LaneCounters(answers)
    }
    turn.answers.append { [self, counted] in
      leaving.removeAll { $0.number == number }
      if let index = lanes.firstIndex(where: { $0.lane.sink == state.lane.sink }) {
        lanes[index].answers.add(counted)
      }
      actions.close(lane: number)
    }
  }
}
