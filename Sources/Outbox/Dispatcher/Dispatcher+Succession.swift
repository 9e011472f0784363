package import CivilTime
package import Reminders
package import Store

/// Other sinks and routes than before: a reload, or a start. A start is a reload whose lanes come
/// from the store, with nothing at their sinks.
extension Dispatcher {
  /// The lanes that a start finds in the store, once orphans have been taken out of them.
  ///
  /// - Parameters:
  ///   - last: the last notification there is.
  ///   - count: how many there are after one.
  package init(
    restoring stored: [String: StoredLane], last: Int64, now: Instant,
    count: (Int64) throws -> Int
  ) rethrows {
    isVeryFirst = stored.isEmpty
    unreadAtFirst = stored.isEmpty && last > 0 ? try count(0) : 0
    lanes = try stored.sorted { $0.key < $1.key }.map { sink, stored in
      // One without channels has nothing to read.
      let place = stored.channels.isEmpty ? last : stored.place
      let lane = Lane(
        sink: sink, channels: stored.channels, place: place, last: last,
        unread: place < last ? try count(place) : 0)
      return LaneState(number: LaneState.restored, lane: lane, now: now)
    }
  }

  /// The notifications with sinks that are going to be retries.
  package func detached(by configuration: OutboxConfiguration) -> [Int64] {
    lanes.filter { $0.hasQueueWithSink && !configuration.isSame($0) }
      .flatMap { $0.batch.map(\.notification) }
  }

  /// What becomes of the lanes. What is with a sink whose queue does not go on is a retry that the
  /// sink has; what waited for it goes by the new routes.
  ///
  /// - Parameters:
  ///   - recorded: which of the `detached` are there.
  ///   - last: the last notification there is.
  package func succession(
    to configuration: OutboxConfiguration, recorded: Set<Int64>, last: Int64, now: Instant
  ) -> Succession {
    var succession = Succession(routes: configuration.routes, laneCount: laneCount)
    var before: [String: LaneState] = [:]
    for var state in lanes {
      if !configuration.isSame(state) { succession.detach(&state, recorded, now: now) }
      if !configuration.isKept(state.sink), state.number != LaneState.restored {
        succession.ended.append(state)
      }
      before[state.sink] = state
      if !configuration.isGoingOn(state.lane) { succession.moveBacklog(of: state.lane) }
    }
    succession.deleted = before.keys.filter { configuration[$0] == nil }.sorted()
    for sink in configuration.sinks {
      let first = isVeryFirst ? (place: 0, unread: unreadAtFirst) : (place: last, unread: 0)
      succession.add(sink, configuration, after: before[sink.name], from: first, last, now: now)
    }
    return succession
  }

  /// Goes by what is on disk from now on.
  ///
  /// - Returns: the numbers of the lanes that are to be closed now, for their sinks have nothing.
  package mutating func take(_ succession: Succession) -> [Int] {
    (lanes, routes, laneCount) = (succession.lanes, succession.routes, succession.laneCount)
    isVeryFirst = false
    leaving += succession.ended.filter { !$0.isQuiet }
    return succession.ended.filter(\.isQuiet).map(\.number)
  }

  /// Counts what a start before, or another node, has left with sinks.
  package mutating func count(_ orphans: Orphans) {
    for index in lanes.indices {
      let sink = lanes[index].sink
      lanes[index].answers.orphaned += orphans.counts[sink] ?? 0
      lanes[index].answers.setAside += orphans.setAside.count { $0.sink == sink }
    }
  }
}

/// What the outbox has to know of a sink.
package struct SinkTraits: Sendable {
  package var name: String
  package var window: Int
  /// Whether deliveries have to say where and how to reach the person.
  package var needsAddressee: Bool
  /// How many deliveries a second it is handed at most; nil for as many as it takes.
  package var rate: Int?
  /// What the pauses after its outages are drawn from.
  package var seed: UInt64

  package init(
    name: String, window: Int = 32_768, needsAddressee: Bool = false, rate: Int? = nil,
    seed: UInt64 = 0
  ) {
    (self.name, self.window, self.needsAddressee) = (name, window, needsAddressee)
    (self.rate, self.seed) = (rate, seed)
  }
}

/// The sinks and routes that are to be in force.
package struct OutboxConfiguration: Sendable {
  package var sinks: [SinkTraits]
  package var routes: Routes
  /// The names of the sinks that are those of before.
  package var kept: Set<String>

  package init(sinks: [SinkTraits], routes: Routes, kept: Set<String> = []) {
    (self.sinks, self.routes, self.kept) = (sinks, routes, kept)
  }

  subscript(name: String) -> SinkTraits? { sinks.first { $0.name == name } }

  func isKept(_ name: String) -> Bool { kept.contains(name) && self[name] != nil }

  /// Whether a lane's queue goes on, at that sink or at another of its name.
  func isGoingOn(_ lane: Lane) -> Bool {
    self[lane.sink] != nil && lane.channels == routes.channels(of: lane.sink)
  }

  /// Whether a lane goes on as if nothing had happened.
  func isSame(_ state: LaneState) -> Bool { isKept(state.sink) && isGoingOn(state.lane) }
}

/// What becomes of the lanes, to be written in one unit of work, in the order of its members, and
/// then taken.
package struct Succession: Sendable {
  /// What waits for a lane on a channel goes on to another sink, or is a dead letter without one.
  package struct BacklogMove: Hashable, Sendable {
    package let channel: Channel
    package let place: Int64
    package let sink: String
    package let heir: String?
  }

  package private(set) var changes = DeliveryChanges()
  package private(set) var moves: [BacklogMove] = []
  /// The sinks whose lanes are gone.
  package internal(set) var deleted: [String] = []
  /// The lanes that begin, or go on with something new.
  package private(set) var stored: [String: StoredLane] = [:]
  package let routes: Routes
  package private(set) var lanes: [LaneState] = []
  /// Sinks that begin, with the numbers of their lanes.
  package private(set) var begun: [(lane: Int, sink: String)] = []
  /// The lanes whose sinks are not in force any more.
  var ended: [LaneState] = []
  private(set) var laneCount: Int

  init(routes: Routes, laneCount: Int) {
    (self.routes, self.laneCount) = (routes, laneCount)
  }

  /// The store has forgotten what gates held of what a lane reads again: they are asked anew.
  package mutating func askGates(about sink: String) {
    for index in lanes.indices where lanes[index].sink == sink { lanes[index].lane.askGates() }
  }

  /// - Parameter nextRetries: by sink, once everything is written.
  package mutating func note(_ nextRetries: [String: Instant]) {
    for index in lanes.indices { lanes[index].nextRetry = nextRetries[lanes[index].sink] }
  }

  /// Makes retries of what a sink has from its queue: each is answered for on its own, and
  /// attempted again after a crash.
  mutating func detach(_ state: inout LaneState, _ recorded: Set<Int64>, now: Instant) {
    guard state.hasQueueWithSink, !state.batch.isEmpty else { return }
    let sink = state.sink
    state.lane = state.lane.detached(from: state.batch.count)
    state.retries = state.batch.map { Retry(sink: sink, delivery: $0, attempts: 0) }
    for retry in state.retries where recorded.contains(retry.delivery.notification) {
      changes.wait(retry, due: now, reason: "")
      changes.hand(retry.delivery)
    }
  }

  mutating func moveBacklog(of lane: Lane) {
    moves += lane.channels.channels.map { channel in
      BacklogMove(
        channel: channel, place: lane.place, sink: lane.sink, heir: routes.first(of: channel))
    }
  }

  /// Adds the lane of a sink: the one that it had, one that goes on where that of the same name
  /// was, or one that begins.
  ///
  /// - Parameter first: where one begins, and how many notifications there are from there.
  mutating func add(
    _ sink: SinkTraits, _ configuration: OutboxConfiguration, after before: LaneState?,
    from first: (place: Int64, unread: Int), _ last: Int64, now: Instant
  ) {
    let channels = routes.channels(of: sink.name)
    if let before, configuration.isSame(before) { return lanes.append(before) }
    var state: LaneState
    if let before, configuration.isKept(sink.name) {
      state = before
      state.lane = before.lane.rerouted(to: channels)
    } else {
      var lane = Lane(
        sink: sink.name, channels: channels, place: first.place, last: last, unread: first.unread,
        window: sink.window, rate: sink.rate, seed: sink.seed, now: now)
      if let before, before.lane.channels == channels {
        lane = before.lane.renewed(for: sink, now: now)
      }
      state = LaneState(
        number: laneCount, lane: lane, needsAddressee: sink.needsAddressee, now: now)
      state.answers = before?.answers ?? state.answers
      begun.append((laneCount, sink.name))
      laneCount += 1
    }
    (state.handed, state.saved) = (state.lane.place, state.lane.place)
    stored[sink.name] = StoredLane(
      place: state.saved, channels: channels, handed: state.handed)
    lanes.append(state)
  }
}

/// What sinks had when the service ended, without an answer: attempted again, and set aside if the
/// service dies of it (rule D2).
package struct Orphans: Sendable {
  /// By sink.
  package let counts: [String: Int]
  /// What is given up, for it was on its way at the last death too.
  package private(set) var setAside: [Retry] = []
  package private(set) var effects = OutboxEffects()

  /// - Parameter suspects: those that were with a sink at all but one of the deaths that there may
  ///   be, or at all.
  package init(counts: [String: Int], suspects: [Retry], now: Instant) {
    self.counts = counts
    var alone = 0
    for suspect in suspects {
      if suspect.deaths >= Suspicion.deathsMax {
        setAside(suspect, now: now)
      } else {
        effects.changes.postpone(suspect.delivery, until: Suspicion.due(alone, start: now))
        alone += 1
      }
    }
  }

  private mutating func setAside(_ culprit: Retry, now: Instant) {
    let attempt = Attempt(
      of: culprit.delivery, by: culprit.sink, at: now, .rejected, reason: Suspicion.reason)
    effects.keep(attempt, isFirst: false)
    effects.changes.wait(culprit, due: nil, reason: Suspicion.reason)
    effects.usage.add(.failed, culprit.delivery, at: now)
    setAside.append(culprit)
  }

  /// Counts the fallbacks of what was set aside.
  package mutating func count(_ fallbacks: OutboxEffects) { effects.usage.add(fallbacks.usage) }

  /// What there is to tell of them.
  package var notes: [DeliveryNote] {
    counts.sorted { $0.key < $1.key }.map { .orphaned(count: $0.value, sink: $0.key) }
      + setAside.map { .dead($0, reason: Suspicion.reason) }
  }
}
