import CivilTime
import JSON
import Outbox
import Reminders
import Testing

@testable import Engine

/// Rule T12: a service that starts with a clock far behind its records waits for the right time.
@Suite struct ClockHoldTests {
  /// Returns a service that sent its check-in of 2 March and was stopped an hour later.
  private func stage() throws -> Stage {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.take("lesson.completed", ["day": 30])
    try stage.run(to: "2026-03-02 22:00")
    try #require(stage.deliveryLines.count == 1)
    return stage
  }

  private func days(_ stage: Stage) -> [String] {
    stage.delivered.map { String("\($0.planned)".prefix(10)) }
  }

  @Test func `T12: with a clock far behind, nothing fires and events are refused`() throws {
    let stage = try stage()
    try stage.restart(at: utc("2020-01-01 00:00"))
    #expect(try stage.core().clock.hold == (try utc("2026-03-02 21:00")))
    #expect(try stage.core().nextWake(now: stage.now) == (try utc("2026-03-02 20:55")))
    let error = #expect(throws: ServiceUnavailable.self) {
      try stage.take("milestone.reached", ["days": 7])
    }
    #expect(error?.kind == .clockBehind)
    #expect(error?.description.contains("2020-01-01T00:00:00.000Z") == true)
    try stage.run(to: "2020-03-01 00:00")
    #expect(stage.deliveryLines.count == 1)
    #expect(try stage.agenda()?.entries.isEmpty == false, "queries are answered")
    let line = StatusReporter.line(try stage.status())
    #expect(line.hasPrefix("the clock is behind the newest record at 2026-03-02T21:00:00.000Z"))
  }

  @Test func `T12: the service continues when the clock is right`() throws {
    let stage = try stage()
    try stage.restart(at: utc("2020-01-01 00:00"))
    try stage.run(to: "2020-01-02 00:00")
    try stage.jump(to: "2026-03-03 21:30")
    #expect(try stage.core().clock.hold == nil)
    #expect(days(stage) == ["2026-03-02", "2026-03-03"])
    #expect(try stage.take("milestone.reached", ["days": 7]).word == "accepted")
    try stage.run(to: "2026-03-04 22:00")
    #expect(days(stage).filter { $0 == "2026-03-04" }.count == 1)
    #expect(try !StatusReporter.line(stage.status()).contains("clock"))
  }

  @Test(arguments: [0, 60, 299])
  func `T12: a clock up to five minutes behind is trusted`(seconds: Int) throws {
    let stage = try stage()
    try stage.restart(at: utc("2026-03-02 21:00") - .seconds(seconds))
    #expect(try stage.core().clock.hold == nil)
    try stage.run(to: "2026-03-03 22:00")
    #expect(days(stage) == ["2026-03-02", "2026-03-03"])
  }

  @Test func `T12: a store without records does not hold the service`() throws {
    let stage = try Stage(at: "2026-03-02 09:00")
    try stage.restart(at: utc("1970-01-02 00:00"))
    #expect(try stage.core().clock.hold == nil)
  }

  @Test func `T12: a reload confirms the clock`() throws {
    let stage = try stage()
    try stage.jump(to: "2027-03-02 12:00")
    try stage.take("milestone.reached", ["days": 7])
    try stage.restart(at: utc("2026-03-02 22:05"))
    #expect(try stage.core().clock.hold == (try utc("2027-03-02 12:00")))
    let answer = AnswerBox<Planner>()
    let configuration = RuntimeConfiguration(
      planner: stage.planner, sinks: stage.sinks, routes: Routes(allTo: stage.sink.name),
      unchangedSinks: [stage.sink.name])
    try stage.turn([.adopt(configuration, answer.take)])
    try stage.run(to: stage.now)
    _ = try answer.value()
    #expect(try stage.core().clock.hold == nil)
    try stage.run(to: "2026-03-04 22:00")
    #expect(days(stage).contains("2026-03-04"))
    try stage.restart(at: utc("2026-03-04 22:00"))
    #expect(try stage.core().clock.hold == nil, "the store remembers the confirmation")
  }

  @Test func `T6: a step back during operation is trusted`() throws {
    let stage = try stage()
    try stage.jump(to: "2027-03-02 12:00")
    try stage.jump(to: "2026-03-02 22:05")
    #expect(try stage.core().clock.hold == nil)
    try stage.restart(at: utc("2026-03-02 22:10"))
    #expect(try stage.core().clock.hold == nil)
  }
}
