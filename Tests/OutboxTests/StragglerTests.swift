import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Store
import TestSupport
import Testing

/// Rule D3: a sink has answered part of a batch and still works on the rest. The lane continues,
/// and each unanswered delivery becomes a retry in flight.
@Suite struct StragglerTests {
  /// Returns a stage whose sink has answered two of three deliveries and still works on the second.
  /// The second delivery is the only one in the rest with the number 7.
  private func stage(waiting count: Int = 5) throws -> (DispatcherStage, OutboxEffects) {
    var stage = DispatcherStage(["one", "two"], [.push: ["one"]], window: 3)
    stage.record(count)
    #expect(stage.dispatch(0) == "1 push, 2 push, 3 push")
    let effects = try stage.answer(0, [.delivered, nil, .delivered], to: .some(stragglers: 7))
    return (stage, effects)
  }

  @Test func `the lane continues and the rest becomes a retry in flight`() throws {
    var (stage, effects) = try stage()
    #expect(effects.progress.map(\.cursor) == [3])
    #expect(effects.changes.waiting(since: stage.now) == ["2 push for one after 0 in 0 s"])
    #expect(effects.changes.dispatched.map(\.notification) == [2], "a crash does not lose it")
    #expect(stage.outbox.free.contains(0) && stage.dispatch(0) == "4 push, 5 push")
    #expect(stage.outbox.lanes[0].inFlightCount == 3)
    #expect(stage.outbox.lanes[0].answers.delivered == 2)

    let rest = try stage.answer(0, [.delivered], to: .stragglers(7))
    #expect(rest.changes.ended.map(\.notification) == [2] && rest.progress.isEmpty)
    #expect(stage.outbox.lanes[0].batch.count == 2, "the lane's current batch is independent")
    #expect(try stage.answer(0, [.delivered, .delivered]).progress.map(\.cursor) == [5])
    #expect(stage.outbox.hasNothingInFlight && stage.outbox.lanes[0].answers.delivered == 5)
  }

  @Test func `a late answer counts as one attempt`() throws {
    var (stage, _) = try stage()
    let rest = try stage.answer(0, [.retry(after: nil, reason: "slow")], to: .stragglers(7))
    #expect(rest.changes.waiting(since: stage.now) == ["2 push for one after 1 in 5 s"])
    #expect(rest.notes.notes.map(\.words) == ["2 push of one is tried again"])
  }

  @Test func `a retry that becomes a straggler keeps its number of attempts`() throws {
    var (stage, _) = try stage(waiting: 3)
    let retry = Retry(
      sink: "one", delivery: Fixtures.delivery(9, .push, at: stage.now), attempts: 4)
    stage.dispatch(retry, to: 0)
    let effects = try stage.answer(0, [nil], to: .some(stragglers: 8))
    #expect(effects.changes.isEmpty, "the store already records the retry as in flight")
    #expect(stage.outbox.free.contains(0))
    let rest = try stage.answer(0, [.retry(after: nil, reason: "slow")], to: .stragglers(8))
    #expect(
      rest.changes.waiting(since: stage.now).first?.hasPrefix("9 push for one after 5") == true)
    #expect(stage.outbox.lanes[0].stragglers.keys.sorted() == [7])
  }

  @Test func `an outage of stragglers does not stop the lane`() throws {
    var (stage, _) = try stage()
    _ = stage.dispatch(0)
    let outage = SinkOutage("gone")
    #expect(
      stage.outbox.requeue(.stragglers(7), from: 0).effects.changes.requeued.map(\.notification)
        == [2])
    #expect(stage.outbox.failStragglers(7, of: 0, outage, now: stage.now) == nil)
    let state = stage.outbox.lanes[0]
    #expect(state.stragglers.isEmpty && state.batch.count == 2)
    #expect(state.lane.outages == 0 && state.answers.outages == 1)
  }

  @Test func `a removed sink is closed after its last answer`() throws {
    var (stage, _) = try stage()
    _ = stage.dispatch(0)
    stage.adopt(["two"], [.push: ["two"]], keeping: ["two"])
    #expect(stage.closed.isEmpty && stage.outbox.leaving.map(\.number) == [0])
    _ = try stage.answer(0, [.delivered, .delivered])
    #expect(stage.closed.isEmpty && !stage.outbox.hasNothingInFlight)
    _ = try stage.answer(0, [.delivered], to: .stragglers(7))
    #expect(stage.closed == [0] && stage.outbox.hasNothingInFlight)
  }

  @Test func `H4: an erased recipient's stragglers are neither kept nor retried`() throws {
    var stage = DispatcherStage(["one"], [.push: ["one"]], window: 3)
    stage.record(3)
    _ = stage.dispatch(0)
    stage.erased = [2]
    let effects = try stage.answer(0, [.delivered, nil, nil], to: .some(stragglers: 7))
    #expect(effects.changes.dispatched.map(\.notification) == [3])
    stage.erased = [2, 3]
    let rest = try stage.answer(0, [.delivered, .delivered], to: .stragglers(7))
    #expect(rest.changes.isEmpty)
  }

  @Test func `an answer for unknown stragglers is ignored`() throws {
    let (stage, _) = try stage()
    #expect(stage.outbox.reply(.success([.delivered]), of: 0, to: .stragglers(6)) == nil)
  }

  @Test func `D1: the first deliveries are answered while the sink has the rest`() throws {
    var stage = DispatcherStage(["one"], [.push: ["one"]], window: 5)
    stage.record(6)
    _ = stage.dispatch(0)
    let first = try stage.answer(0, [.delivered, nil], to: .some(stragglers: 7, freesLane: false))
    #expect(first.progress.map(\.cursor) == [2])
    #expect(first.changes.dispatched.map(\.notification) == [2])
    #expect(stage.dispatch(0) == "", "the sink has three more")
    #expect(stage.outbox.lanes[0].inFlightCount == 4)

    let late = try stage.answer(0, [nil, .delivered], to: .some(stragglers: 7, freesLane: false))
    #expect(late.progress.map(\.cursor) == [4])
    let rest = try stage.answer(0, [.delivered, nil], to: .stragglers(7))
    #expect(rest.changes.ended.map(\.notification) == [2])
    #expect(stage.outbox.lanes[0].stragglers[7]?.retries.map(\.delivery.notification) == [3])
    #expect(try stage.answer(0, [.delivered]).progress.map(\.cursor) == [5])
    #expect(stage.dispatch(0) == "6 push", "the lane continues")
    _ = try stage.answer(0, [.delivered], to: .stragglers(7))
    #expect(try stage.answer(0, [.delivered]).progress.map(\.cursor) == [6])
    #expect(stage.outbox.hasNothingInFlight && stage.outbox.lanes[0].answers.delivered == 6)
  }

  @Test func `D1: a lane waits until its sink returns, even if its batch is answered`() throws {
    var stage = DispatcherStage(["one"], [.push: ["one"]], window: 2)
    stage.record(3)
    _ = stage.dispatch(0)
    _ = try stage.answer(0, [.delivered, .delivered], to: .some(stragglers: 7, freesLane: false))
    #expect(stage.dispatch(0) == "")
    _ = stage.fail(0)
    #expect(stage.outbox.lanes[0].lane.outages == 1)
    #expect(stage.outbox.lanes[0].lane.cursor == 2, "answered deliveries are not dispatched again")
  }

  @Test func `D3: a batch has one latency, that of its last answer`() throws {
    var (stage, _) = try stage()
    var latency: Histogram { stage.outbox.lanes[0].answers.latency }
    #expect(latency.count == 0, "a straggler is in flight")
    stage.now = stage.now + .seconds(4)
    _ = try stage.answer(0, [.delivered], to: .stragglers(7))
    #expect(latency.count == 1 && latency.sum == 4)
  }

  @Test func `D3: a batch that is answered in parts has one latency, whichever part is last`()
    throws
  {
    for isStragglerLast in [false, true] {
      var stage = DispatcherStage(["one"], [.push: ["one"]], window: 3)
      stage.record(3)
      _ = stage.dispatch(0)
      _ = try stage.answer(0, [nil, .delivered], to: .some(stragglers: 7, freesLane: false))
      stage.now = stage.now + .seconds(1)
      _ = try stage.answer(0, [.delivered], to: isStragglerLast ? .all : .stragglers(7))
      #expect(stage.outbox.lanes[0].answers.latency.count == 0)
      stage.now = stage.now + .seconds(1)
      _ = try stage.answer(0, [.delivered], to: isStragglerLast ? .stragglers(7) : .all)
      let latency = stage.outbox.lanes[0].answers.latency
      #expect(latency.count == 1 && latency.sum == 2)
    }
  }

  @Test func `D1: retries are answered one by one`() throws {
    var stage = DispatcherStage(["one"], [.push: ["one"]])
    let retries = (1...3).map {
      Retry(sink: "one", delivery: Fixtures.delivery($0, .push, at: stage.now), attempts: 1)
    }
    stage.dispatch(retries, to: 0)
    let first = try stage.answer(0, [nil, .delivered], to: .some(stragglers: 7, freesLane: false))
    #expect(first.changes.ended.map(\.notification) == [2] && first.progress.isEmpty)
    let last = try stage.answer(0, [.delivered])
    #expect(last.changes.ended.map(\.notification) == [3])
    let rest = try stage.answer(0, [.delivered], to: .stragglers(7))
    #expect(rest.changes.ended.map(\.notification) == [1] && stage.outbox.hasNothingInFlight)
  }
}
