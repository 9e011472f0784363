import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Store
import TestSupport
import Testing

/// Rule S1: a change of sinks and routes. A start is a reload of the stored lanes.
@Suite struct SuccessionTests {
  private func words(_ succession: Succession) -> [String] {
    succession.moves.map {
      "\($0.channel) after \($0.cursor) of \($0.sink) to \($0.newSink ?? "none")"
    }
      + succession.deleted.map { "without \($0)" }
  }

  /// Returns a stage with five deliveries, of which two are in flight.
  private func busyStage() -> DispatcherStage {
    var stage = DispatcherStage(["one", "two"], [.push: ["one"]], window: 2)
    stage.record(5)
    #expect(stage.dispatch(0) == "1 push, 2 push")
    return stage
  }

  @Test func `the first lane ever begins at number 0, a later lane at the last number`() {
    var stage = DispatcherStage(last: 7)
    let succession = stage.adopt(["one"], [.push: ["one"]])
    #expect(succession.stored["one"]?.cursor == 0)
    #expect(stage.adopt(["one", "two"], [.push: ["one"]]).stored["two"]?.cursor == 7)
  }

  @Test func `an unchanged sink keeps its lane and its batch`() throws {
    var stage = busyStage()
    let succession = stage.adopt(["one", "two"], [.push: ["one"]], keeping: ["one", "two"])
    #expect(succession.changes.isEmpty && words(succession).isEmpty)
    #expect(succession.stored.isEmpty && succession.begun.isEmpty)
    #expect(stage.outbox.lanes.map(\.number) == [0, 1] && stage.closed.isEmpty)
    #expect(try stage.answer(0, [.delivered, .delivered]).progress.first?.cursor == 2)
  }

  @Test func `queued deliveries use the new routes, deliveries in flight become retries`() throws {
    var stage = busyStage()
    let succession = stage.adopt(["two"], [.push: ["two"]], keeping: ["two"])
    #expect(succession.changes.dispatched.map(\.notification) == [1, 2])
    #expect(words(succession) == ["push after 2 of one to two", "without one"])
    #expect(succession.stored.keys.sorted() == ["two"], "the channels of sink two have changed")
    #expect(stage.outbox.leaving.map(\.number) == [0] && stage.closed.isEmpty)
    let effects = try stage.answer(0, [.delivered, .retry(after: nil, reason: "busy")])
    #expect(effects.changes.waiting(since: stage.now) == ["2 push for two after 0 in 0 s"])
    #expect(effects.progress.isEmpty, "sink one has no lane now")
    #expect(stage.closed == [0] && stage.outbox.hasNothingInFlight)
  }

  @Test func `a removed sink that fails returns its batch`() {
    var stage = busyStage()
    stage.adopt(["two"], [.push: ["two"]], keeping: ["two"])
    let (effects, hasMisrouted) = stage.outbox.requeue(from: 0)
    #expect(effects.changes.requeued.map(\.notification) == [1, 2] && hasMisrouted)
    #expect(effects.progress.isEmpty)
    _ = stage.fail(0)
    #expect(stage.closed == [0])
  }

  @Test func `H4: an erased recipient's in-flight deliveries become no retries`() {
    var stage = busyStage()
    stage.erased = [1]
    let succession = stage.adopt(["two"], [.push: ["two"]])
    #expect(succession.changes.dispatched.map(\.notification) == [2])
  }

  @Test func `the queue of a channel without a sink has no next lane`() {
    var stage = busyStage()
    let succession = stage.adopt(["two"], [.email: ["two"]], keeping: ["two"])
    #expect(words(succession) == ["push after 2 of one to none", "without one"])
  }

  @Test func `a new sink of the same name inherits the queue, not the breaker`() {
    var stage = busyStage()
    _ = stage.fail(0)
    let succession = stage.adopt(["one"], [.push: ["one"]])
    #expect(words(succession) == ["without two"])
    #expect(succession.begun.map(\.lane) == [2] && stage.closed == [0, 1])
    #expect(stage.outbox.lanes.first?.lane.breaker.state(at: stage.now) == .closed)
    guard case .dispatch(let chunk, _) = stage.outbox.next(2, now: stage.now) else {
      return #expect(Bool(false), "the new sink does not wait for the old pause")
    }
    #expect(chunk.first?.words == "1 push")
  }

  @Test func `stray retries move to the first sink that carries their channel`() {
    let routes = Routes([.push: ["two", "three"]])
    let misrouted = routes.misrouted(among: [("one", .push), ("three", .push), ("one", .email)])
    #expect(misrouted.map(\.sink) == ["one", "one"])
    #expect(misrouted.map(\.newSink) == ["two", nil])
  }

  // MARK: - A start is a reload

  /// The routes before and after are random. A start from the stored lanes decides the same as a
  /// reload that replaces every sink.
  @Test(arguments: Seeds.all) func `S1: a start decides the same as a reload`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<50 {
      let oldConfiguration = Self.configuration(&random)
      var stage = DispatcherStage(oldConfiguration.sinks, oldConfiguration.routes, window: 3)
      var disk: [String: StoredLane] = [:]
      for state in stage.outbox.lanes {
        disk[state.sink] = StoredLane(cursor: 0, channels: state.lane.channels, lastDispatched: 0)
      }
      stage.record(.random(in: 1...9, using: &random), on: [.push, .email])
      for lane in stage.outbox.free where Bool.random(using: &random) {
        let count = stage.dispatch(lane).split(separator: ",").count
        guard count > 0 else { continue }
        let effects = try stage.answer(lane, Array(repeating: .delivered, count: count))
        for progress in effects.progress {
          disk[progress.sink]?.cursor = progress.cursor ?? 0
        }
      }
      let newConfiguration = Self.configuration(&random)
      var restarted = DispatcherStage(restoring: disk, last: stage.last)
      let start = restarted.adopt(newConfiguration.sinks, newConfiguration.routes)
      let reload = stage.adopt(newConfiguration.sinks, newConfiguration.routes)
      #expect(words(start) == words(reload), "seed \(seed)")
      #expect(start.stored == reload.stored, "seed \(seed)")
      #expect(start.begun.map(\.sink) == reload.begun.map(\.sink), "seed \(seed)")
      let (started, reloaded) = (restarted.outbox.lanes, stage.outbox.lanes)
      #expect(started.map(\.lane.cursor) == reloaded.map(\.lane.cursor), "seed \(seed)")
    }
  }

  private static func configuration(
    _ random: inout SplitMix64
  ) -> (sinks: [String], routes: [Channel: [String]]) {
    let sinks = ["one", "two", "three"].shuffled(using: &random).prefix(
      .random(in: 1...3, using: &random))
    var routes: [Channel: [String]] = [:]
    for channel in [Channel.push, .email] where Int.random(in: 0..<4, using: &random) > 0 {
      routes[channel] = sinks.shuffled(using: &random)
    }
    return (sinks.sorted(), routes)
  }
}
