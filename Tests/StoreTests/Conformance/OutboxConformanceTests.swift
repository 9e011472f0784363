import CivilTime
import Reminders
import Store
import Testing

/// Every store's lanes, retries, attempts and dead letters.
@Suite struct OutboxConformanceTests {
  private let push = ChannelSet(.push)
  private let both: ChannelSet = [ChannelSet(.push), ChannelSet(.email)]

  /// Returns a stage whose recipient has `count` notifications, each on push and e-mail.
  private func stage(_ kind: StoreKind, _ count: Int64) throws -> PortStage {
    let stage = try PortStage(kind, of: "amina")
    for key in 1...count { try stage.record(Fixtures.record(key: key, channels: both)) }
    return stage
  }

  /// Schedules a retry a number of minutes after noon, or makes a dead letter if `due` is nil.
  private func scheduleRetry(
    _ stage: PortStage, _ number: Int64, _ channel: Channel = .push, sink: String = "one",
    due minute: Int?, attempts: Int = 1, deaths: Int = 0
  ) throws {
    let delivery = try stage.delivery(number, channel)
    try stage.save {
      $0.wait(
        Retry(sink: sink, delivery: delivery, attempts: attempts, deaths: deaths),
        due: minute.map { Fixtures.noon + .minutes($0) }, reason: "busy")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `deliveries are read in order and in parts`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 2)
    try stage.record(Fixtures.record(key: 3, outcome: .dropped))
    func page(_ cursor: Int64, _ limit: Int, _ channels: ChannelSet) throws -> ([String], Int64?) {
      let found = try stage.store.commit {
        try $0.deliveries(after: cursor, limit: limit, on: channels)
      }
      return (found.deliveries.map { "\($0.notification) \($0.channel)" }, found.through)
    }
    #expect(try page(0, 1, both) == (["1 push", "1 email"], 1))
    #expect(try page(0, 9, push) == (["1 push", "2 push"], 3))
    #expect(try page(2, 9, push) == ([], 3))
    #expect(try page(3, 9, push) == ([], nil))
  }

  @Test(arguments: StoreKind.allCases)
  func `the notifications after a cursor are counted`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 3)
    let counts = try stage.store.commit { transaction in
      try [0, 2, 3].map { try transaction.notificationCount(after: $0) }
    }
    #expect(counts == [3, 1, 0])
  }

  @Test(arguments: StoreKind.allCases)
  func `lanes save their cursors`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind)
    let lane = StoredLane(cursor: 3, channels: push, lastDispatched: 4)
    try stage.store.commit { transaction in
      try transaction.save(lanes: ["one": lane, "two": lane])
      try transaction.save([
        LaneProgress(sink: "one", cursor: 5), LaneProgress(sink: "two", lastDispatched: 7),
      ])
    }
    #expect(
      try stage.store.commit { try $0.lanes() } == [
        "one": StoredLane(cursor: 5, channels: push, lastDispatched: 4),
        "two": StoredLane(cursor: 3, channels: push, lastDispatched: 7),
      ])
    try stage.store.commit { try $0.deleteLanes(of: ["one", "none"]) }
    #expect(try stage.store.commit { try $0.lanes() }.keys.sorted() == ["two"])
  }

  @Test(arguments: StoreKind.allCases)
  func `retries are read in the order of their due times`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 4)
    for (number, minute) in [(Int64(1), 30), (2, 10), (3, 20), (4, 20)] {
      try scheduleRetry(stage, number, due: minute)
    }
    try scheduleRetry(stage, 1, .email, sink: "two", due: 1)
    #expect(try stage.dueRetries(at: 25) == [2, 3, 4])
    #expect(try stage.dueRetries(at: 25, limit: 2) == [2, 3])
    #expect(try stage.dueRetries(at: 60, batchMax: { _ in 1 }) == [2])
    func next() throws -> [String: Instant] {
      try stage.store.commit { try $0.nextRetries(of: ["one", "two", "three"]) }
    }
    #expect(
      try next() == ["one": Fixtures.noon + .minutes(10), "two": Fixtures.noon + .minutes(1)])
    try stage.store.commit { try $0.shiftRetries(by: .minutes(5)) }
    #expect(try next()["one"] == Fixtures.noon + .minutes(5))
    let second = try stage.delivery(2)
    try stage.save { $0.postpone(second, until: Fixtures.noon + .hours(1)) }
    #expect(try stage.dueRetries(at: 25) == [3, 4, 1])
  }

  @Test(arguments: StoreKind.allCases)
  func `a retry in flight is not due`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 2)
    for number in Int64(1)...2 { try scheduleRetry(stage, number, due: 0) }
    let first = try stage.delivery(1)
    try stage.save { $0.dispatch(first) }
    #expect(try stage.dueRetries(at: 1) == [2])
    try stage.save { $0.requeue(first) }
    #expect(try stage.dueRetries(at: 1) == [1, 2])
    try stage.save {
      $0.wait(Retry(sink: "one", delivery: first, attempts: 0), due: Fixtures.noon, reason: "")
      $0.dispatch(first)
    }
    #expect(try stage.dueRetries(at: 1) == [2])
    try stage.save { $0.end(first) }
    #expect(try stage.read { try $0.backlogs(of: ["one": nil])["one"]?.retrying } == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `D2: dead letters are read in pages`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 3)
    for number in Int64(1)...3 {
      try scheduleRetry(stage, number, sink: number == 2 ? "two" : "one", due: nil, attempts: 4)
    }
    try scheduleRetry(stage, 1, .email, due: nil)
    try scheduleRetry(stage, 2, .email, due: 5)
    func page(
      _ sink: String?, _ last: (Int64, Channel)?, _ limit: Int
    ) throws -> [String] {
      try stage.read { try $0.deadLetters(of: sink, after: last, limit: limit) }.map {
        "\($0.delivery.notification) \($0.delivery.channel) \($0.sink) \($0.attempts) \($0.reason)"
      }
    }
    #expect(try page(nil, nil, 2) == ["1 push one 4 busy", "1 email one 1 busy"])
    #expect(try page(nil, (1, .email), 9) == ["2 push two 4 busy", "3 push one 4 busy"])
    #expect(try page("two", nil, 9) == ["2 push two 4 busy"])
    try stage.read { (reader) throws in
      #expect(try reader.deadLetterCount() == 4)
      #expect(try reader.deadLetter(3, .push)?.sink == "one")
      #expect(try reader.deadLetter(2, .email) == nil)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the backlog of each sink is counted`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    try stage.record(Fixtures.record(key: 1, outcome: .dropped))
    for key in Int64(2)...4 {
      try stage.record(Fixtures.record(key: key).at(Fixtures.noon + .minutes(Int(key))))
    }
    try scheduleRetry(stage, 3, due: 5)
    try scheduleRetry(stage, 4, due: nil)
    let found = try stage.read { try $0.backlogs(of: ["one": 0, "two": nil]) }
    var one = LaneBacklog()
    (one.retrying, one.deadLetters) = (1, 1)
    one.oldestRetry = Fixtures.noon + .minutes(3)
    one.oldestDelivery = Fixtures.noon + .minutes(2)
    #expect(found == ["one": one, "two": LaneBacklog()])
  }

  /// Counting has to be cheap, because clients may request the status each second.
  @Test(arguments: StoreKind.allCases)
  func `H6: retries and dead letters are counted up to a limit`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    func time(_ number: Int64) -> Instant { Fixtures.noon + .minutes(Int(number)) }
    for number in Int64(1)...12 { try stage.record(Fixtures.record(key: number).at(time(number))) }
    for number in Int64(1)...5 { try scheduleRetry(stage, number, due: nil) }
    // The later a notification, the earlier its retry.
    for number in Int64(6)...12 { try scheduleRetry(stage, number, due: 20 - Int(number)) }
    try stage.read { reader in
      #expect(try reader.deadLetterCount(limit: 4) == 4)
      #expect(try reader.deadLetterCount(limit: 6) == 5)
      #expect(try reader.deadLetterCount() == 5)
      let (few, all) = (
        try reader.backlogs(of: ["one": nil], limit: 3)["one"],
        try reader.backlogs(of: ["one": nil], limit: 9)["one"]
      )
      #expect(few?.retrying == 3 && few?.deadLetters == 3)
      #expect(all?.retrying == 7 && all?.deadLetters == 5)
      #expect(few?.oldestRetry == time(10) && all?.oldestRetry == time(6))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `D2: deliveries in flight at the end of a process are orphans`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 4)
    try scheduleRetry(stage, 1, .email, due: 30)
    let first = try stage.delivery(1, .email)
    try stage.store.commit { transaction in
      #expect(try !transaction.beginBoot())
      let lane = StoredLane(cursor: 1, channels: push, lastDispatched: 3)
      try transaction.save(lanes: ["one": lane])
      var changes = DeliveryChanges()
      changes.dispatch(first)
      try transaction.save(changes)
    }
    try stage.store.commit { transaction in
      #expect(try !transaction.beginBoot())
      #expect(try transaction.takeOrphans(now: Fixtures.noon, hasCrashed: true) == ["one": 3])
      #expect(try transaction.takeOrphans(now: Fixtures.noon, hasCrashed: true) == [:])
      #expect(try transaction.lanes()["one"]?.cursor == 3)
      let suspects = try transaction.suspects(deaths: 1)
      #expect(suspects.map(\.delivery.notification) == [2, 3, 1])
      #expect(try transaction.suspects(deaths: 2).isEmpty)
      try transaction.recordStop()
    }
    #expect(try stage.store.commit { try $0.beginBoot() })
    #expect(try stage.store.commit { try !$0.beginBoot() })
  }

  @Test(arguments: StoreKind.allCases)
  func `retries and backlog of a removed channel move to another sink`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 4)
    try scheduleRetry(stage, 1, due: 5, attempts: 3, deaths: 1)
    try scheduleRetry(stage, 1, .email, due: 5)
    let inFlight = try stage.delivery(2)
    try scheduleRetry(stage, 2, due: 5)
    try stage.save { $0.dispatch(inFlight) }
    try stage.store.commit { transaction in
      let retryPairs = try transaction.retryPairs().map { "\($0.sink) \($0.channel)" }
      #expect(retryPairs.sorted() == ["one email", "one push"])
      try transaction.moveRetries(of: "one", on: .push, to: "two")
      try transaction.moveRetries(of: "one", on: .email, to: nil)
      try transaction.moveBacklog(
        of: .push, after: 2, from: "one", to: "two", now: Fixtures.noon)
      try transaction.moveBacklog(
        of: .email, after: 3, from: "one", to: nil, now: Fixtures.noon)
    }
    #expect(try stage.dueRetries(of: "two", at: 60) == [3, 4, 1])
    #expect(try stage.dueRetries(at: 60).isEmpty)
    let letters = try stage.read { try $0.deadLetters(of: nil, after: nil, limit: 9) }
    #expect(letters.map(\.delivery.notification) == [1, 4])
    #expect(letters.allSatisfy { $0.reason == DeadLetter.noSinkReason(.email) && $0.sink == "one" })
  }

  @Test(arguments: StoreKind.allCases)
  func `retries of notifications after a lane's cursor are deleted`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 3)
    for number in Int64(1)...3 { try scheduleRetry(stage, number, due: number == 3 ? nil : 5) }
    func deleteRetries(after cursor: Int64) throws -> Bool {
      try stage.store.commit { try $0.deleteRetries(of: "one", after: cursor, on: push) }
    }
    #expect(try deleteRetries(after: 1))
    #expect(try !deleteRetries(after: 1))
    #expect(try stage.dueRetries(at: 9) == [1])
    #expect(try stage.read { try $0.deadLetterCount() } == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `the latest attempts of a notification are kept`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 1)
    let delivery = try stage.delivery(1)
    let reason = String(repeating: "r", count: DeliveryChanges.reasonMax + 1)
    try stage.save {
      $0.firstAttempts = [Attempt(of: delivery, by: "one", at: Fixtures.noon, .retry)]
      $0.laterAttempts = (1...DeliveryChanges.attemptsMax).map {
        Attempt(of: delivery, by: "one", at: Fixtures.noon + .minutes($0), .retry, reason: reason)
      }
    }
    let kept = try stage.read { try $0.notifications(of: 1, after: 0, limit: 1) }
    let attempts = try #require(kept.notifications.first?.attempts)
    #expect(attempts.count == DeliveryChanges.attemptsMax)
    #expect(attempts.first?.at == Fixtures.noon + .minutes(1))
    #expect(attempts.allSatisfy { $0.reason.count == DeliveryChanges.reasonMax })
  }

  @Test(arguments: StoreKind.allCases)
  func `D6: the state of each delivery is read`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 2)
    let delivery = try stage.delivery(1)
    try stage.store.commit {
      try $0.save(lanes: ["mail": StoredLane(cursor: 1, channels: .init(.email), lastDispatched: 1)]
      )
    }
    try scheduleRetry(stage, 1, due: 9)
    try stage.save {
      $0.firstAttempts = [
        Attempt(of: delivery, by: "one", at: Fixtures.noon, .retry, reason: "busy")
      ]
      $0.addFallback(.sms, to: 1)
    }
    let states = try stage.read { try $0.deliveryStates(of: [1, 2, 9]) }
    #expect(
      states[1]?.map { "\($0.channel) \($0.sink)" } == ["push one", "email mail"])
    #expect(states[1]?.last?.progress == .delivered)
    #expect(states[2]?.map(\.progress) == [.waiting])
    #expect(states[9, default: []].isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `V8: later verdicts join the trace, and a drop is not counted as recent`(
    _ kind: StoreKind
  ) throws {
    let stage = try stage(kind, 2)
    let (one, two) = (try stage.delivery(1), try stage.delivery(1, .email))
    try stage.save {
      $0.laterAttempts = [Attempt(of: one, by: "one", at: Fixtures.noon, .dropped)]
    }
    func progress() throws -> ChannelProgress? {
      try stage.store.commit { try $0.channelProgress(of: [1, 9])[1] }
    }
    #expect(try progress() == ChannelProgress(channels: both, dropped: push))
    var trace = GateTrace()
    trace.note(.quietHours, .holds(until: Fixtures.noon))
    try stage.save {
      $0.laterAttempts = [Attempt(of: two, by: "one", at: Fixtures.noon, .dropped)]
      $0.settle(1, outcome: .delivered, trace: trace)
      $0.settle(1, outcome: .dropped, trace: GateTrace())
      $0.settle(9, outcome: .dropped, trace: trace)
    }
    #expect(try progress()?.isDroppedEverywhere == true)
    #expect(try stage.counts().recent == 1)
    var all = trace
    all.add(Fixtures.record(key: 1).trace)
    let past = try stage.read { try $0.notifications([1])[1]?.past }
    #expect(past?.outcome == .dropped)
    #expect(past?.trace == all)
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: old attempts are pruned, except the last failed one`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 2)
    let (one, two) = (try stage.delivery(1), try stage.delivery(2))
    try stage.save {
      $0.laterAttempts = [(one, Attempt.Verdict.delivered), (two, .rejected)].flatMap {
        [
          Attempt(of: $0, by: "one", at: Fixtures.noon, .retry),
          Attempt(of: $0, by: "one", at: Fixtures.noon + .minutes(1), $1),
        ]
      }
    }
    let pruned = try stage.store.prune(
      .attempts, by: Age(before: Fixtures.noon + .hours(1), now: Fixtures.noon + .days(9)),
      after: 0, limit: 9
    ) { _, _, _ in false }
    #expect(pruned.removed == 3)
    let kept = try stage.read { try $0.notifications(of: 1, after: 0, limit: 9).notifications }
    #expect(kept.map { $0.attempts.map(\.verdict) } == [[], [.rejected]])
  }

  @Test(arguments: StoreKind.allCases)
  func `D11: a delivery keeps its latest report beside its attempts`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 1)
    let delivery = try stage.delivery(1)
    func report(_ state: DeliveryReport.State, _ reason: String) -> Attempt {
      let report = DeliveryReport(
        notification: delivery.identifier, channel: .push, state: state, reason: reason)
      return Attempt(report, of: 1, by: "one", at: Fixtures.noon)
    }
    try stage.save { $0.reports = [report(.failed, "busy")] }
    // A report may come before the answer of the first attempt, which does not replace it.
    try stage.save {
      $0.firstAttempts = [Attempt(of: delivery, by: "one", at: Fixtures.noon, .retry)]
      $0.laterAttempts = (1...DeliveryChanges.attemptsMax).map {
        Attempt(of: delivery, by: "one", at: Fixtures.noon + .minutes($0), .delivered)
      }
    }
    try stage.save { $0.reports = [report(.bounced, "no such box")] }
    func state() throws -> DeliveryState? {
      try stage.read { try $0.deliveryStates(of: [1])[1]?.first { $0.channel == .push } }
    }
    #expect(try state()?.report == report(.bounced, "no such box"))
    #expect(try state()?.publicState == .bounced)
    #expect(try state()?.obstacle == "no such box")
    #expect(try state()?.attempts.count == DeliveryChanges.attemptsMax + 1)
    let pruned = try stage.store.prune(
      .attempts, by: Age(before: Fixtures.noon + .days(1), now: Fixtures.noon + .days(9)),
      after: 0, limit: 9
    ) { _, _, _ in false }
    #expect(pruned.removed == DeliveryChanges.attemptsMax)
    #expect(try state()?.publicState == .bounced)
    #expect(try state()?.sink == "one")
    #expect(try stage.store.commit { try $0.channelProgress(of: [1])[1]?.dropped } == [])
  }

  @Test(arguments: StoreKind.allCases)
  func `D16: a withdrawal is a retry with its decision, and changes no state`(
    _ kind: StoreKind
  ) throws {
    let stage = try stage(kind, 1)
    try stage.store.commit {
      try $0.save(lanes: ["one": StoredLane(cursor: 1, channels: push, lastDispatched: 1)])
    }
    var delivery = try stage.delivery(1, .push)
    delivery.withdraw(at: Fixtures.noon)
    func state() throws -> DeliveryState? {
      try stage.read { try $0.deliveryStates(of: [1])[1]?.first { $0.channel == .push } }
    }
    let step = Attempt(of: delivery, by: "one", at: Fixtures.noon, .withdrawing, reason: "taken")
    let retry = Retry(sink: "one", delivery: delivery, attempts: 0)
    try stage.save { changes in
      changes.withdrawals = [step]
      changes.wait(retry, due: Fixtures.noon, reason: "taken")
    }
    let due = try stage.store.commit {
      try $0.dueRetries(of: "one", now: Fixtures.noon, limit: 9, batchMax: { _ in 9 })
    }
    #expect(due.map(\.delivery) == [delivery])
    #expect(try state()?.publicState == .accepted)
    #expect(try state()?.attempts == [step])
    // An answer and a report may arrive later.
    let report = DeliveryReport(
      notification: delivery.identifier, channel: .push, state: .received)
    try stage.save { changes in
      changes.laterAttempts = [Attempt(of: delivery, by: "one", at: Fixtures.noon, .delivered)]
      changes.reports = [Attempt(report, of: 1, by: "one", at: Fixtures.noon)]
    }
    try stage.store.commit { try $0.moveRetries(of: "one", on: .push, to: "two") }
    #expect(try stage.store.commit { try $0.nextRetries(of: ["one", "two"]) } == [:])
    try stage.save { $0.endWithdrawal(retry, .withdrawn, at: Fixtures.noon + .minutes(1), "") }
    #expect(
      try state()?.attempts.map(\.verdict) == [.withdrawing, .delivered, .withdrawn, .received])
    #expect(try state()?.publicState == .received)
  }

  @Test(arguments: StoreKind.allCases)
  func `H7: deliveries that no sink has accepted are kept`(_ kind: StoreKind) throws {
    let stage = try stage(kind, 4)
    try scheduleRetry(stage, 1, due: 60)
    try scheduleRetry(stage, 2, due: nil)
    try stage.store.commit { transaction in
      try transaction.save(lanes: [
        "one": StoredLane(cursor: 3, channels: push, lastDispatched: 4),
        "two": StoredLane(cursor: 0, channels: ChannelSet(.sms), lastDispatched: 0),
      ])
    }
    func prune() throws -> Int {
      try stage.store.prune(
        .notifications, by: Age(before: Fixtures.noon + .hours(1), now: Fixtures.noon + .days(9)),
        after: 0, limit: 9
      ) { _, _, _ in false }.removed
    }
    #expect(try prune() == 2)
    #expect(try stage.chain() == [4, 1], "the second is a dead letter, the third was accepted")
    try stage.store.commit { try $0.save([LaneProgress(sink: "one", cursor: 4)]) }
    let first = try stage.delivery(1)
    try stage.save { $0.end(first) }
    #expect(try prune() == 2)
  }
}
