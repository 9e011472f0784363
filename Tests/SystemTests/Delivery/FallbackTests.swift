import Glibc
import JSON
import Testing

/// Rules D2 and V7: retries, their end, and fallbacks.
@OwnThread
@Suite(
  .enabled(
    if: HookPeer.isAvailable, "standardwebhooks is missing; run `make test`, which fetches it"))
struct FallbackTests {
  private static let lines = "{type: jsonl, file: \"-\"}"

  private let hook: HookPeer

  init() throws {
    hook = try HookPeer()
  }

  private func stage(_ routes: String) throws -> DeliveryStage {
    try DeliveryStage(
      ["hook": hook.sink, "lines": Self.lines], routes: routes, secrets: HookPeer.secrets)
  }

  @Test func `after a rejection the next sink is used, and explain shows both attempts`() throws {
    let stage = try stage("{push: [hook, lines]}")
    try hook.answer(400)
    let service = try stage.start()
    try service.report(Report.note("one"))
    #expect(try service.deliveries(1).map { $0["title"] } == ["one"])
    let explained = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(explained.map(\.description) == ["push by lines: accepted"])
    #expect(explained.first?.attempts == ["hook: rejected 400", "lines: delivered"])
    #expect(try service.stop() == .exited(0))
  }

  @Test func `after the last sink, the fallback channel is used`() throws {
    let stage = try stage("{push: hook, sms: lines}")
    try hook.answer(400)
    let service = try stage.start()
    try service.report(Report.note("one"))
    #expect(try service.deliveries(1).map { $0["channel"] } == ["sms"])
    let explained = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(explained.map(\.description) == ["push by hook: failed", "sms by lines: accepted"])
    #expect(explained.map(\.attempts) == [["hook: rejected 400"], ["lines: delivered"]])
    #expect(try service.stop() == .exited(0))
  }

  /// The hook does not listen, and the notification would expire before the second attempt.
  @Test func `a delivery that would expire before it is tried again uses the next sink`() throws {
    let stage = try stage("{push: [hook, lines]}")
    _ = try hook.peer.stop()
    let service = try stage.start()
    try service.report(Report.note("one", #","expires":"4s""#))
    #expect(try service.deliveries(1).map { $0["title"] } == ["one"])
    let explained = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(explained.map(\.description) == ["push by lines: accepted"])
    #expect(explained.first?.attempts == ["hook: retry", "lines: delivered"])
    #expect(try service.stop() == .exited(0))
  }

  /// The hook answers 503 to three deliveries, whose second attempt is due five seconds later:
  /// - "late" would have expired by then, so it becomes a dead letter.
  /// - "away" is dropped, because its recipient has begun a vacation.
  /// - "last" is sent.
  @Test
  func `V7: gates are evaluated before a retry; a delivery that would expire first is not retried`()
    throws
  {
    let stage = try stage("{push: hook}")
    try hook.answer(503)
    let service = try stage.start()
    try service.report(
      Report.note("away", to: "r1", #","expires":"1h""#),
      Report.note("late", to: "r2", #","expires":"3s""#))
    for _ in 0..<2 { #expect(try hook.peer.next()["answer"] == 503) }
    for (title, recipient, state) in [("away", "r1", "retrying"), ("late", "r2", "dead_letter")] {
      let explained = try service.deliveries(title, to: recipient) { !$0[0].attempts.isEmpty }
      #expect(explained.map(\.description) == ["push by hook: \(state)"])
      #expect(explained.first?.attempts == ["hook: retry 503"])
    }
    try service.report(
      Report.note("last", to: "r3"),
      Report.event("e1", "vacation.started", #"{"until":"2199-01-01"}"#))
    #expect(try hook.peer.next()["event"]?["subject"] == "r3")
    try hook.answer(204)
    let second = try hook.peer.next()
    #expect(second["event"]?["data"]?["title"] == "last" && second["acted"] == true)
    let explained = try service.deliveries("away", to: "r1") { $0[0].isOver }
    #expect(explained.map(\.description) == ["push by hook: dropped"])
    #expect(explained.first?.attempts == ["hook: retry 503", "hook: dropped"])
    #expect(try service.stop() == .exited(0))
    #expect(try hook.peer.stop() == [])
  }
}
