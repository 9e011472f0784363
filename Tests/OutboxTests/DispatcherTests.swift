import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Store
import Testing

/// The dispatcher, one input at a time.
@Suite struct DispatcherTests {
  private static let busy = SinkAnswer.retry(after: nil, reason: "busy")
  private static let refused = SinkAnswer.rejected(reason: "no")

  private static let failed = DeliveryState.Progress.dead(attempts: 1, reason: "no")

  /// Returns the progress of a notification on each of its channels.
  private static func reach(
    _ progress: (channel: Channel, progress: DeliveryState.Progress)...
  ) -> NotificationReach {
    let states = progress.map { DeliveryState(sink: "one", channel: $0, progress: $1) }
    return NotificationReach(
      channels: states.reduce(into: []) { $0.insert(ChannelSet($1.channel)) }, states: states)
  }

  /// Applies a sink's answers and returns the waiting retries in words.
  private func answer(
    _ stage: inout DispatcherStage, _ lane: Int, _ answers: SinkAnswer...
  ) throws -> [String] {
    let now = stage.now
    return try stage.answer(lane, answers).changes.waiting(since: now)
  }

  // MARK: - Recording

  @Test func `D1: deliveries are recorded as in flight, dispatched and answered`() throws {
    var stage = DispatcherStage(["one", "two"], [.push: ["one"], .email: ["two"]], window: 2)
    let offers = stage.record(3, on: [.push, .email])
    #expect(
      offers.map { $0.progress?.lastDispatched } == [2, 2], "recorded together with the decision")
    #expect(stage.dispatch(0) == "1 push, 2 push")
    #expect(stage.dispatch(1) == "1 email, 2 email")
    #expect(stage.outbox.free.isEmpty && !stage.outbox.hasNothingInFlight)
    let effects = try stage.answer(0, [.delivered, .delivered])
    #expect(effects.progress == [LaneProgress(sink: "one", cursor: 2)])
    #expect(effects.changes.isEmpty, "a delivery without a failure needs no row")
    #expect(stage.outbox.free == [0])
    #expect(stage.dispatch(0) == "3 push")
  }

  /// The write of the effects may fail before the lane's state changes.
  @Test func `D1: determining the effects of an answer changes nothing in memory`() throws {
    var stage = DispatcherStage(["one", "two"], [.push: ["one", "two"]])
    stage.record(2)
    #expect(stage.dispatch(0) == "1 push, 2 push")
    let reply = stage.outbox.reply(.success([Self.busy, .delivered]), of: 0)
    guard case .answers(let batch)? = reply else { throw Missing() }
    let first = stage.effects(of: batch)
    let second = stage.effects(of: batch)
    #expect(first.changes.waiting(since: stage.now) == second.changes.waiting(since: stage.now))
    #expect(!stage.outbox.hasNothingInFlight && stage.outbox.lane(0)?.lane.cursor == 0)
    #expect(stage.outbox.lane(0)?.answers == LaneCounters())
    _ = stage.outbox.conclude(batch, now: stage.now)
    #expect(stage.outbox.hasNothingInFlight && stage.outbox.lane(0)?.lane.cursor == 2)
  }

  @Test func `an idle lane stores its cursor from time to time`() {
    var stage = DispatcherStage(["one", "two"], [.push: ["one"], .email: ["two"]])
    stage.record(65_536, on: [.email])
    #expect(stage.record(1, on: []).map { $0.progress?.cursor } == [nil, nil])
    #expect(stage.record(1, on: []).map { $0.progress?.cursor } == [65_537, nil])
    #expect(stage.record(1, on: []).map { $0.progress?.cursor } == [nil, nil])
  }

  // MARK: - Retries and fallbacks

  @Test func `D2: waits grow with each retry, then the next sink is used`() throws {
    var stage = DispatcherStage(["one", "two"], [.push: ["one", "two"]])
    stage.record()
    #expect(stage.dispatch(0) == "1 push")
    var (retry, waits): (Retry?, [String]) = (nil, [])
    for _ in 0..<10 {
      if let retry { stage.dispatch(retry, to: 0) }
      let changes = try stage.answer(0, [Self.busy]).changes
      waits += changes.waiting(since: stage.now)
      retry = changes.waiting.first?.retry
      stage.now = try #require(changes.waiting.first?.due)
      guard retry?.sink == "one" else { break }
      retry?.delivery.expiry = stage.now + .days(9)
    }
    #expect(waits.count == 10 && waits.last == "1 push for two after 0 in 0 s")
    #expect(waits.first?.hasPrefix("1 push for one after 1 in 5") == true)
    let attempts = waits.dropLast().map { $0.split(separator: " ")[5] }
    #expect(attempts == (1...9).map { "\($0)" })
  }

  @Test func `D2: a retry waits at least as long as the sink asks`() throws {
    var stage = DispatcherStage(["one"], [.push: ["one"]])
    stage.record()
    #expect(stage.dispatch(0) == "1 push")
    let changes = try stage.answer(0, [.retry(after: .hours(1), reason: "later")]).changes
    let due = try #require(changes.waiting.first?.due)
    #expect(due >= stage.now + .hours(1) && due <= stage.now + .minutes(66))
  }

  @Test func `D2: if a retry would be too late, the next sink is used, or the delivery is dead`()
    throws
  {
    var stage = DispatcherStage(["one", "two"], [.push: ["one", "two"], .email: ["one"]])
    stage.record(on: [.push, .email])
    #expect(stage.dispatch(0) == "1 push, 1 email")
    let tomorrow = SinkAnswer.retry(after: .days(1), reason: "tomorrow")
    let words = try answer(&stage, 0, tomorrow, tomorrow)
    #expect(words == ["1 push for two after 0 in 0 s", "1 email dead at one"])
  }

  @Test func `D2: rejections lead to the next sink, the next channel, then a dead letter`() throws {
    var stage = DispatcherStage(
      ["one", "two", "three"], [.push: ["one", "two"], .email: ["three"]])
    stage.reaches = [1: Self.reach((.push, .waiting))]
    stage.fallbacks = [.init(notification: 1, channel: .push): [.email]]
    stage.record()
    #expect(stage.dispatch(0) == "1 push")
    #expect(try answer(&stage, 0, Self.refused) == ["1 push for two after 0 in 0 s"])
    stage.dispatch(Retry(sink: "two", delivery: Fixtures.delivery(1), attempts: 0), to: 1)
    let changes = try stage.answer(1, [Self.refused]).changes
    #expect(changes.waiting(since: stage.now) == ["1 email for three after 0 in 0 s"])
    #expect(changes.ended == [.init(notification: 1, channel: .push)])
    #expect(changes.fallbacks.map(\.channel) == [.email])
    stage.reaches[1] = Self.reach((.push, Self.failed), (.email, .waiting))
    stage.dispatch(Retry(sink: "three", delivery: Fixtures.delivery(1, .email), attempts: 0), to: 2)
    let effects = try stage.answer(2, [Self.refused])
    #expect(effects.changes.waiting(since: stage.now) == ["1 email dead at three"])
    let dead = effects.notes.notes.contains { if case .dead = $0 { true } else { false } }
    #expect(dead)
  }

  /// Returns a stage with a notification whose push and e-mail both use one sink.
  private func stageOfTwoChannels() -> DispatcherStage {
    var stage = DispatcherStage(
      ["one", "two"], [.push: ["one"], .email: ["one"], .sms: ["two"]])
    stage.reaches = [1: Self.reach((.push, .waiting), (.email, .waiting))]
    stage.fallbacks = [
      .init(notification: 1, channel: .push): [.sms],
      .init(notification: 1, channel: .email): [.sms],
    ]
    stage.record(on: [.push, .email])
    #expect(stage.dispatch(0) == "1 push, 1 email")
    return stage
  }

  @Test func `D2: two channels that fail together have one fallback`() throws {
    var stage = stageOfTwoChannels()
    let words = try answer(&stage, 0, Self.refused, Self.refused)
    #expect(words == ["1 push dead at one", "1 sms for two after 0 in 0 s"])
  }

  @Test func `D2: two notifications of an occurrence that fail together have one fallback`()
    throws
  {
    var stage = DispatcherStage(
      ["one", "two"], [.push: ["one"], .email: ["one"], .sms: ["two"]])
    let states = [Channel.push, .email].map {
      DeliveryState(sink: "one", channel: $0, progress: .waiting)
    }
    let reach = NotificationReach(
      channels: [ChannelSet(.push), ChannelSet(.email)], states: states, companions: [1, 2])
    stage.reaches = [1: reach, 2: reach]
    stage.fallbacks = [
      .init(notification: 1, channel: .push): [.sms],
      .init(notification: 2, channel: .email): [.sms],
    ]
    stage.record(on: [.push])
    stage.record(on: [.email])
    #expect(stage.dispatch(0) == "1 push, 2 email")
    let words = try answer(&stage, 0, Self.refused, Self.refused)
    #expect(words == ["1 push dead at one", "2 sms for two after 0 in 0 s"])
  }

  @Test(arguments: [Channel.push, .email])
  func `D2: another channel's delivery in the batch prevents a fallback`(failed: Channel) throws {
    var stage = stageOfTwoChannels()
    let answers = failed == .push ? [Self.refused, .delivered] : [.delivered, Self.refused]
    let changes = try stage.answer(0, answers).changes
    #expect(changes.waiting(since: stage.now) == ["1 \(failed) dead at one"])
    #expect(changes.fallbacks.isEmpty)
  }

  @Test(arguments: [Channel.push, .email])
  func `D2: a fallback waits for a channel that is retried`(failed: Channel) throws {
    var stage = stageOfTwoChannels()
    let answers = failed == .push ? [Self.refused, Self.busy] : [Self.busy, Self.refused]
    let changes = try stage.answer(0, answers).changes
    #expect(changes.waiting(since: stage.now).contains("1 \(failed) dead at one"))
    #expect(changes.waiting.count == 2 && changes.fallbacks.isEmpty)
  }

  @Test func `D2: a delivery to the inbox does not prevent a fallback`() throws {
    var stage = stageOfTwoChannels()
    stage.reaches = [1: Self.reach((.push, .waiting), (.email, Self.failed), (.inapp, .delivered))]
    let words = try answer(&stage, 0, Self.refused, Self.refused)
    #expect(words.contains("1 sms for two after 0 in 0 s"))
  }

  @Test func `D2: notes name each retry and each move to a sink or channel`() throws {
    var stage = DispatcherStage(["one", "two"], [.push: ["one", "two"], .email: ["two"]])
    stage.fallbacks = [.init(Fixtures.delivery(2)): [.email]]
    stage.record(2)
    #expect(stage.dispatch(0) == "1 push, 2 push")
    var noteLines = try stage.answer(0, [Self.refused, Self.busy]).notes.notes.map(\.words)
    #expect(noteLines == ["1 push of one goes on to two on push", "2 push of one is tried again"])
    let last = Retry(sink: "two", delivery: Fixtures.delivery(2), attempts: 0)
    stage.dispatch(last, to: 1)
    noteLines = try stage.answer(1, [Self.refused]).notes.notes.map(\.words)
    #expect(noteLines == ["2 push of two goes on to two on email"])
  }

  @Test func `H4: nothing is stored for an erased recipient's deliveries`() throws {
    var stage = DispatcherStage(["one", "two"], [.push: ["one", "two"]])
    stage.record(3)
    #expect(stage.dispatch(0) == "1 push, 2 push, 3 push")
    stage.erased = [2]
    let changes = try stage.answer(0, [Self.busy, Self.busy, Self.refused]).changes
    #expect(changes.waiting.map(\.retry.delivery.notification) == [1, 3])
    #expect(changes.firstAttempts.map(\.notification) == [1, 3])
  }

  // MARK: - Outages

  @Test func `D3: an outage leaves all deliveries in the queue`() throws {
    var stage = DispatcherStage(["one"], [.push: ["one"]])
    stage.record(3)
    #expect(stage.dispatch(0) == "1 push, 2 push, 3 push")
    let effects = stage.fail(0)
    #expect(
      effects.progress == [LaneProgress(sink: "one", lastDispatched: 0)], "nothing is in flight")
    #expect(effects.changes.isEmpty)
    #expect(stage.outbox.lane(0)?.lane.waiting == 3 && stage.outbox.hasNothingInFlight)
    #expect(stage.dispatch(0).isEmpty, "the breaker is open")
    let wake = try #require(stage.outbox.wake(now: stage.now))
    #expect(wake > stage.now && wake <= stage.now + .seconds(1))
    stage.now = wake
    guard case .dispatch(let probe, let isStale) = stage.outbox.next(0, now: wake) else {
      throw Missing()
    }
    #expect(probe.map(\.words) == ["1 push"] && isStale, "one delivery probes the sink")
  }

  @Test func `D3: too few answers count as an outage`() {
    var stage = DispatcherStage(["one"], [.push: ["one"]])
    stage.record(3)
    #expect(stage.dispatch(0) == "1 push, 2 push, 3 push")
    guard case .outage(let outage)? = stage.outbox.reply(.success([.delivered]), of: 0) else {
      return #expect(Bool(false), "one answer for three deliveries must count as an outage")
    }
    #expect(outage.description == "it answered 1 of 3 deliveries")
  }

  /// The retry schedule is 5 s, 5 min, 30 min, 2 h and 5 h. So the last attempt in time would have
  /// been about 8 hours after the first.
  @Test func `D2: a delivery that cannot wait for the end of an outage moves on`() throws {
    var stage = DispatcherStage(["one", "two"], [.push: ["one", "two"], .email: ["one"]])
    stage.record()
    stage.now += .hours(11)
    stage.record()
    let effects = stage.fail(0)
    #expect(effects.changes.waiting(since: stage.now) == ["1 push for two after 0 in 0 s"])
    #expect(effects.progress.last == LaneProgress(sink: "one", cursor: 1))
    #expect(stage.outbox.lane(0)?.lane.waiting == 1)
    stage.now += .minutes(2)
    #expect(stage.fail(0).changes.isEmpty, "the other delivery can still wait")
  }

  @Test func `D2: after an outage, retries in flight wait again`() {
    var stage = DispatcherStage(["one", "two"], [.push: ["one", "two"]])
    let retry = Retry(sink: "one", delivery: Fixtures.delivery(1), attempts: 2)
    stage.dispatch(retry, to: 0)
    let effects = stage.fail(0)
    #expect(effects.changes.requeued == [.init(retry.delivery)])
    #expect(effects.progress.isEmpty, "the queue's cursor has not moved")
  }

  // MARK: - Starts

  @Test func `D2: an orphan of three crashes is quarantined, orphans of two are sent alone`() {
    let suspects = [2, 3, 2].enumerated().map { number, deaths in
      Retry(
        sink: "one", delivery: Fixtures.delivery(Int64(number + 1)), attempts: 0, deaths: deaths)
    }
    let orphans = Orphans(counts: ["one": 3], suspects: suspects, now: Fixtures.noon)
    #expect(orphans.quarantined.map(\.delivery.notification) == [2])
    #expect(orphans.effects.changes.waiting(since: Fixtures.noon) == ["2 push dead at one"])
    let dues = orphans.effects.changes.postponed.map(\.until)
    #expect(dues == [0, 1].map { Suspicion.due($0, start: Fixtures.noon) })
    #expect(orphans.notes.count == 2)
  }
}
