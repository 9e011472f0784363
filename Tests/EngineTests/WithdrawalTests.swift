import CivilTime
import JSON
import Outbox
import Reminders
import Store
import Testing

@testable import Engine

/// Rule D16: delivered notifications that no longer apply are withdrawn.
@Suite struct WithdrawalTests {
  /// A daily dose at 12:00, by push, e-mail and in the app, until it is taken. It is 12:00.
  private func stage(
    withdraw: Bool = true, channels: String = "push: true, email: true, inapp: true",
    reply: @escaping Stage.Reply = Stage.accepting
  ) throws -> Stage {
    let text = """
      catalog: doses
      events:
        taken: {dose: text?}
      categories:
        DOSE: {title: Doses, withdraw: \(withdraw), channels: {\(channels)}}
      groups:
        doses: {enabled: true}
      reminders:
        dose:
          category: DOSE
          group: doses
          every: {day: {at: "12:00"}}
          unless: taken
          expires: 12h
          messages: [{title: Dose, body: Take it.}]
      """
    let stage = try Stage(catalog: text, at: "2026-03-02 08:00")
    stage.sink = NamedSink(name: "one", canWithdraw: true)
    stage.others = [NamedSink(name: "two")]
    stage.routes = Routes([.push: ["one"], .email: ["two"]])
    stage.reply = reply
    try stage.restart()
    try stage.take("recipient.updated", ["locale": "en"])
    try stage.run(to: "2026-03-02 12:00")
    return stage
  }

  private func withdrawals(_ stage: Stage) -> [Reminders.Delivery] {
    stage.attempts.filter(\.isWithdrawal)
  }

  private func steps(_ stage: Stage) throws -> [String] {
    try stage.core().store.commit { transaction in
      let row = try #require(try transaction.recipient(named: "amina")).row
      let numbers = try transaction.chain(of: row, from: nil, downTo: 0, limit: 99).numbers
      return try transaction.deliveryStates(of: numbers).values.joined().flatMap(\.attempts)
        .filter(\.verdict.isWithdrawal).map { "\($0.sink) \($0.verdict) \($0.reason)" }
    }
  }

  private func all(_ query: inout NotificationHistoryQuery) {
    (query.states, query.part) = (nil, .all)
  }

  private func identifier(_ stage: Stage) throws -> String {
    try #require(stage.attempts.first { $0.channel == .push }).identifier
  }

  @Test func `D16: the fact withdraws from the sink that accepted it and can withdraw`() throws {
    let stage = try stage()
    try stage.take("taken")
    #expect(withdrawals(stage).map(\.channel) == [.push])
    #expect(try withdrawals(stage).map(\.identifier) == [identifier(stage)])
    #expect(try steps(stage) == ["one withdrawing taken", "one withdrawn "])
    #expect(try stage.inbox().items.isEmpty)
    let entry = try #require(try stage.history(all)?.entries.first)
    #expect(entry.state == .accepted)
  }

  @Test func `D16: nothing is withdrawn without the key`() throws {
    let stage = try stage(withdraw: false)
    try stage.take("taken")
    try stage.write(.clear)
    #expect(withdrawals(stage).isEmpty)
    #expect(try steps(stage).isEmpty)
  }

  @Test func `D16: the end of its repetitions withdraws a notification about its entity`() throws {
    let text = """
      catalog: doses
      events:
        due: {dose: identifier}
        taken: {dose: identifier}
      categories:
        DOSE: {title: Doses, channels: {push: true}}
      groups:
        doses: {enabled: true}
      reminders:
        dose:
          category: DOSE
          group: doses
          withdraw: true
          on: {event: due, delay: 1s}
          again: {every: 45m, times: 2, unless: taken}
          expires: 2h
          messages: [{title: Dose, body: Take it.}]
      """
    let stage = try Stage(catalog: text, at: "2026-03-02 08:00")
    stage.sink = NamedSink(name: "one", canWithdraw: true)
    try stage.restart()
    for dose in ["a", "b"] { try stage.take("due", ["dose": .string(dose)]) }
    try stage.run(to: "2026-03-02 08:05")
    try stage.take("taken", ["dose": "a"])
    try stage.run(to: "2026-03-02 09:00")
    #expect(withdrawals(stage).count == 1)
    #expect(stage.attempts.filter { !$0.isWithdrawal }.count == 3)
    try stage.take("taken", ["dose": "b"])
    #expect(withdrawals(stage).count == 3)
  }

  @Test func `D16: a delivery is withdrawn once`() throws {
    let stage = try stage()
    for _ in 1...3 {
      try stage.take("taken")
      try stage.write(.clear)
      try stage.take("notification.opened", ["notification": .string(try identifier(stage))])
    }
    #expect(withdrawals(stage).count == 1)
  }

  @Test(arguments: ["opened", "read", "dismissed", "cleared", "readAll"])
  func `D16: reading or dismissing elsewhere withdraws`(way: String) throws {
    let stage = try stage()
    let id = try identifier(stage)
    switch way {
    case "opened": try stage.take("notification.opened", ["notification": .string(id)])
    case "read": try stage.write(.read([id]))
    case "dismissed": try stage.write(.dismiss(id))
    case "readAll": try stage.write(.readAll)
    default: try stage.write(.clear)
    }
    #expect(withdrawals(stage).count == 1)
  }

  @Test func `D16: a snooze withdraws, and the next round is not withdrawn`() throws {
    let stage = try stage()
    let key = try #require(stage.attempts.first).key
    try stage.take(
      "pending.snoozed",
      [
        "reminder": "dose", "occurrence": .string("\(key)"), "delivered": true, "for": "PT30M",
      ])
    #expect(withdrawals(stage).count == 1)
    try stage.run(to: "2026-03-02 13:00")
    #expect(stage.attempts.filter { $0.channel == .push && !$0.isWithdrawal }.count == 2)
    #expect(withdrawals(stage).count == 1)
  }

  @Test func `D16: a withdrawal survives a crash`() throws {
    let stage = try stage()
    stage.reply = nil
    try stage.take("taken")
    try stage.crash()
    stage.reply = Stage.accepting
    try stage.run(to: "2026-03-02 12:10")
    #expect(withdrawals(stage).count == 1)
    #expect(try steps(stage).last == "one withdrawn ")
  }

  @Test(arguments: [("2026-03-08 08:00", 1), ("2026-03-10 08:00", 0)])
  func `D16: a fact neither withdraws nor dismisses after 7 days`(
    end: String, count: Int
  ) throws {
    let text = """
      catalog: doses
      events:
        due: {dose: identifier}
        dropped: {dose: identifier}
      categories:
        DOSE: {title: Doses, channels: {push: true, inapp: true}}
      groups:
        doses: {enabled: true}
      reminders:
        dose:
          category: DOSE
          group: doses
          withdraw: true
          on: {event: due, delay: 1s}
          cancel: dropped
          expires: 10d
          messages: [{title: Dose, body: Take it.}]
      """
    let stage = try Stage(catalog: text, at: "2026-03-02 08:00")
    stage.sink = NamedSink(name: "one", canWithdraw: true)
    try stage.restart()
    try stage.take("due", ["dose": "a"])
    try stage.run(to: end)
    try stage.take("due", ["dose": "b"])
    try stage.run(to: stage.now + .minutes(1))
    #expect(try stage.inbox().items.count == 2)
    try stage.take("dropped", ["dose": "a"])
    #expect(withdrawals(stage).count == count)
    #expect(try stage.inbox().items.count == 2 - count)
  }

  @Test func `D16: a failing withdrawal is retried for a day, and has no fallback`() throws {
    let stage = try stage()
    stage.reply = { .success($0.map { _ in .retry(after: nil, reason: "busy") }) }
    try stage.take("taken")
    try stage.run(to: "2026-03-04 11:00")
    let attempts = withdrawals(stage)
    #expect(attempts.count > 3 && attempts.allSatisfy { $0.channel == .push })
    let last = try #require(attempts.last?.withdrawnAt)
    #expect(try last == utc("2026-03-02 12:00"))
    #expect(try steps(stage).contains("one notWithdrawn busy"))
    let number = try #require(attempts.first).notification
    #expect(try stage.core().store.commit { try $0.deadLetter(number, .push) } == nil)
  }

  @Test func `D16: a refused withdrawal ends, and the delivery stays accepted`() throws {
    let stage = try stage()
    stage.reply = { .success($0.map { _ in .rejected(reason: "gone") }) }
    try stage.take("taken")
    #expect(try steps(stage) == ["one withdrawing taken", "one notWithdrawn gone"])
    #expect(try stage.history(all)?.entries.first?.state == .accepted)
  }

  @Test func `D16: an outage of a day ends a withdrawal`() throws {
    let stage = try stage()
    stage.reply = Stage.failing
    try stage.take("taken")
    try stage.run(to: "2026-03-03 11:00")
    stage.reply = Stage.accepting
    try stage.jump(to: "2026-03-03 12:30")
    #expect(try steps(stage).contains("one notWithdrawn it was not accepted within a day"))
  }

  @Test func `D16: a delivery that was accepted after the fact is withdrawn then`() throws {
    let stage = try stage(reply: { .success($0.map { _ in .delivered }) })
    stage.beforeAnswer = { try stage.take("taken") }
    try stage.run(to: "2026-03-03 12:00")
    #expect(withdrawals(stage).map(\.channel) == [.push, .push])
    #expect(try steps(stage).contains("one withdrawing it ended before it was accepted"))
  }

  @Test func `D18: a stream reads the withdrawals on its channels for seven days`() throws {
    let stage = try stage()
    let stream = try stage.stream()
    func withdrawn(on channels: ChannelSet) throws -> [String] {
      try stage.query(WithdrawalsQuery(of: stream.watch, before: stream.backlog, on: channels)).map(
        \.fullIdentifier)
    }
    #expect(try withdrawn(on: .all) == [])
    _ = stream.signal.take()
    try stage.take("taken")
    #expect(stream.signal.take().contains(.deliveries))
    #expect(try withdrawn(on: .all) == ["\(identifier(stage))-push"])
    #expect(try withdrawn(on: ChannelSet(.email)) == [])
    try stage.jump(to: "2026-03-09 11:59")
    #expect(try withdrawn(on: .all).first == "\(identifier(stage))-push")
    try stage.jump(to: "2026-03-09 12:00")
    #expect(try !withdrawn(on: .all).contains("\(identifier(stage))-push"))
  }

  @Test func `D18: a push that its sink cannot withdraw is recorded for streams alone`() throws {
    let stage = try stage(channels: "push: true")
    stage.sink = NamedSink(name: "one", isWithdrawnByApps: true)
    try stage.restart()
    let stream = try stage.stream()
    _ = stream.signal.take()
    try stage.take("taken")
    #expect(stream.signal.take().contains(.deliveries))
    let withdrawn = try stage.query(
      WithdrawalsQuery(of: stream.watch, before: stream.backlog, on: ChannelSet(.push)))
    #expect(try withdrawn.map(\.fullIdentifier) == ["\(identifier(stage))-push"])
    #expect(withdrawals(stage).isEmpty)
    #expect(
      try steps(stage) == [
        "one withdrawing taken", "one notWithdrawn the sink cannot withdraw; open apps remove it",
      ])
    #expect(try stage.history(all)?.entries.first?.state == .accepted)
    try stage.take("taken", ["dose": "again"])
    #expect(try steps(stage).count == 2)
  }

  /// A fact ends only the latest 32 notifications; the recipient may dismiss any.
  @Test func `D18: a stream reads the withdrawal of any notification`() throws {
    let text = """
      catalog: tasks
      events:
        due: {task: identifier}
      categories:
        TASK: {title: Tasks, withdraw: true, channels: {push: true, inapp: true}}
      groups:
        tasks: {enabled: true}
      reminders:
        task:
          category: TASK
          group: tasks
          on: {event: due, delay: 1s}
          expires: 1h
          messages: [{title: Task, body: Do it.}]
      """
    let stage = try Stage(catalog: text, at: "2026-03-02 08:00")
    stage.sink = NamedSink(name: "one", canWithdraw: true)
    try stage.restart()
    for task in 0..<40 {
      try stage.take("due", ["task": .string("\(task)")])
      try stage.run(to: stage.now + .minutes(1))
    }
    let identifiers = stage.attempts.filter { $0.channel == .push }.map(\.identifier)
    #expect(identifiers.count == 40)
    let stream = try stage.stream()
    func withdrawn() throws -> [String] {
      try stage.query(
        WithdrawalsQuery(of: stream.watch, before: stream.backlog, on: ChannelSet(.push))
      ).map(
        \.fullIdentifier)
    }
    #expect(try withdrawn() == [])
    try stage.write(.dismiss(identifiers[3]))
    try stage.take("notification.opened", ["notification": .string(identifiers[0])])
    try stage.write(.dismiss(identifiers[39]))
    #expect(try withdrawn() == [0, 3, 39].map { "\(identifiers[$0])-push" })
    // A stream that begins now knows only the latest notifications.
    let next = try stage.stream()
    let known = try stage.query(
      WithdrawalsQuery(of: next.watch, before: next.backlog, on: ChannelSet(.push)))
    #expect(known.map(\.fullIdentifier) == ["\(identifiers[39])-push"])
  }

  /// A slow client receives a page while the next notification is written, sent and withdrawn.
  @Test func `D18: a stream reads a withdrawal only after its notification`() throws {
    let stage = try stage()
    var stream = try stage.stream()
    try stage.run(to: "2026-03-03 12:00")
    let sent = stage.attempts.last { $0.channel == .push && !$0.isWithdrawal }
    let identifier = try #require(sent).fullIdentifier
    try stage.take("taken")
    func withdrawn(_ stream: Stream) throws -> [String] {
      try stage.query(
        WithdrawalsQuery(of: stream.watch, before: stream.backlog, on: ChannelSet(.push))
      ).map(\.fullIdentifier)
    }
    #expect(try !withdrawn(stream).contains(identifier))
    let items = try stage.read(&stream, on: ChannelSet(.push))
    #expect(items.map(\.delivery.fullIdentifier).contains(identifier))
    #expect(try withdrawn(stream).contains(identifier))
  }

  @Test func `D18: a withdrawal that follows its acceptance wakes the stream`() throws {
    let stage = try stage(reply: { .success($0.map { _ in .delivered }) })
    let stream = try stage.stream()
    stage.beforeAnswer = {
      let reply = stage.reply
      stage.reply = nil
      try stage.take("taken")
      _ = stream.signal.take()
      stage.reply = reply
    }
    try stage.run(to: "2026-03-03 12:00")
    #expect(withdrawals(stage).map(\.channel) == [.push, .push])
    #expect(stream.signal.take().contains(.deliveries))
  }

  @Test func `D16: a withdrawal passes quiet hours, and neither sounds nor counts`() throws {
    let stage = try stage()
    try stage.take(
      "preferences.updated",
      ["quietHours": ["enabled": true, "start": "12:01", "end": "23:00"], "caps": ["perDay": 1]])
    try stage.run(to: "2026-03-02 12:30")
    try stage.take("taken")
    #expect(withdrawals(stage).map(\.isSilent) == [true])
    let date = try #require(LocalDate("2026-03-02"))
    let lines = try stage.query(UsageQuery(from: date, through: date)).lines
    #expect(lines.contains("DOSE push 12 delivered 1"))
  }

  @Test func `D16: a removed sink ends its withdrawals`() throws {
    let stage = try stage()
    stage.reply = Stage.failing
    try stage.take("taken")
    stage.routes = Routes([.push: ["two"], .email: ["two"]])
    stage.reply = Stage.accepting
    try stage.adopt()
    try stage.run(to: "2026-03-02 13:00")
    #expect(withdrawals(stage).count == 1)
    #expect(stage.attemptSinkNames.last == "one")
    #expect(try stage.core().store.commit { try $0.nextRetries(of: ["one", "two"]) } == [:])
  }

  @Test func `D16: a sink that cannot withdraw after a reload ends its withdrawals`() throws {
    let stage = try stage()
    stage.reply = Stage.failing
    try stage.take("taken")
    let before = stage.attempts.count
    stage.sink = NamedSink(name: "one")
    stage.reply = Stage.accepting
    try stage.adopt()
    try stage.run(to: "2026-03-02 13:00")
    #expect(stage.attempts.count == before)
    #expect(try steps(stage).contains("one notWithdrawn the sink cannot withdraw"))
    #expect(try stage.core().store.commit { try $0.nextRetries(of: ["one"]) } == [:])
  }

  // MARK: - Several events of a request

  /// Reminders of visits, one of which is announced at 11:00 and begins at 12:00. It is 11:00.
  private func visits() throws -> Stage {
    let text = """
      catalog: visits
      events:
        booked: {visit: identifier, start: instant}
        cancelled: {visit: identifier}
        finished: {visit: identifier}
      categories:
        VISIT: {title: Visits, withdraw: true, channels: {push: true, inapp: true}}
      groups:
        visits: {enabled: true}
      reminders:
        visit:
          category: VISIT
          group: visits
          before: {event: booked, at: start, by: 1h}
          cancel: [cancelled, finished]
          expires: 1h
          messages: [{title: Visit, body: In an hour.}]
      """
    let stage = try Stage(catalog: text, at: "2026-03-02 08:00")
    stage.sink = NamedSink(name: "one", canWithdraw: true)
    stage.routes = Routes([.push: ["one"]])
    try stage.restart()
    try stage.take("booked", booking)
    try stage.run(to: "2026-03-02 11:00")
    try #require(stage.attempts.map(\.channel) == [.push])
    return stage
  }

  private let booking: JSONValue = ["visit": "a", "start": "2026-03-02T12:00:00Z"]

  /// Submits events of the visit in one request, a second apart.
  ///
  /// - Parameter isReversed: whether the last event has the earliest time.
  private func submit(
    _ types: [String], isReversed: Bool = false, to stage: Stage
  ) throws {
    try stage.run(to: "2026-03-02 11:10")
    let events = try types.enumerated().map { index, type in
      try Fixtures.event(
        "same-request-\(index)", type, of: "amina",
        at: stage.now - .seconds(isReversed ? index : 9 - index),
        type == "booked"
          ? booking
          : type == "cancelled" || type == "finished"
            ? ["visit": "a"] : [:], planner: stage.planner)
    }
    try #require(stage.submit(events).allSatisfy { $0.word == "accepted" })
    try stage.run(to: "2026-03-02 11:20")
  }

  @Test func `E6: a notification that a later event of the request restores is not withdrawn`()
    throws
  {
    let stage = try visits()
    try submit(["cancelled", "booked"], to: stage)
    #expect(withdrawals(stage).isEmpty)
    #expect(try stage.inbox().items.count == 1)
    try stage.take("cancelled", ["visit": "a"])
    #expect(withdrawals(stage).count == 1)
  }

  @Test func `D16: several events of a request withdraw once, by the one that ends it`() throws {
    let stage = try visits()
    try submit(["booked", "finished", "cancelled"], to: stage)
    #expect(try steps(stage) == ["one withdrawing cancelled", "one withdrawn "])
    #expect(try stage.inbox().items.isEmpty)
  }

  @Test func `D16: of several events of a request the latest is the cause`() throws {
    let stage = try visits()
    try submit(["cancelled", "finished", "booked"], isReversed: true, to: stage)
    #expect(try steps(stage) == ["one withdrawing cancelled", "one withdrawn "])
  }

  @Test func `E6: a request that mutes an entity withdraws only the one that it ends`() throws {
    let stage = try visits()
    let other: JSONValue = ["visit": "b", "start": "2026-03-02T12:30:00Z"]
    try stage.take("booked", other)
    try stage.run(to: "2026-03-02 11:30")
    try #require(stage.attempts.count == 2)
    let muting: JSONValue = ["reminders": ["visits": ["items": ["a": ["enabled": false]]]]]
    func event(_ id: String, _ type: String, _ data: JSONValue) throws -> Event {
      try Fixtures.event(id, type, of: "amina", at: stage.now, data, planner: stage.planner)
    }
    _ = try stage.submit([
      event("x1", "preferences.updated", muting), event("x2", "cancelled", ["visit": "b"]),
    ])
    #expect(withdrawals(stage).map(\.identifier) == [stage.attempts[1].identifier])
    try stage.take("cancelled", ["visit": "a"])
    #expect(withdrawals(stage).count == 2)
  }

  @Test func `E6: a request that erases the recipient withdraws nothing`() throws {
    let stage = try visits()
    try submit(["cancelled", "recipient.deleted"], to: stage)
    #expect(withdrawals(stage).isEmpty)
    #expect(try stage.stored() == nil)
  }

  @Test func `M6: a withdrawal is an outcome`() throws {
    let stage = try stage()
    stage.routes?.logsOutcomes = true
    try stage.restart()
    try stage.take("taken")
    let records = try stage.core().store.commit { try $0.analytics(of: nil, after: 0, limit: 9) }
    #expect(records.contains { $0.values["state"] == "withdrawn" })
  }
}
