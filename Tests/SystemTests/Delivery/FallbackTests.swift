import Glibc
import JSON
import Testing

/// Rule D2: who takes over when a sink gives up, or takes nothing.
@OwnThread @Suite(.enabled(if: HookPeer.isThere, "make test fetches standardwebhooks"))
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

  @Test func whatIsRefusedGoesToTheNextSinkAndTheRecordShowsBoth() throws {
    let stage = try stage("{push: [hook, lines]}")
    try hook.answer(400)
    let service = try stage.start()
    try service.take(Report.note("one"))
    #expect(try service.deliveries(1).map { $0["title"] } == ["one"])
    let carriages = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(carriages.map(\.description) == ["push by lines: handed_over"])
    #expect(carriages.first?.attempts == ["hook: rejected 400", "lines: delivered"])
    #expect(try service.stop() == .exited(0))
  }

  @Test func afterTheLastSinkAnotherChannelTakesOver() throws {
    let stage = try stage("{push: hook, sms: lines}")
    try hook.answer(400)
    let service = try stage.start()
    try service.take(Report.note("one"))
    #expect(try service.deliveries(1).map { $0["channel"] } == ["sms"])
    let carriages = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(carriages.map(\.description) == ["push by hook: failed", "sms by lines: handed_over"])
    #expect(carriages.map(\.attempts) == [["hook: rejected 400"], ["lines: delivered"]])
    #expect(try service.stop() == .exited(0))
  }

  /// Nobody listens where the hook was; the reminder would be too late at the second attempt.
  @Test func whatWouldWaitTooLongForASinkThatIsDownGoesToTheNext() throws {
    let stage = try stage("{push: [hook, lines]}")
    _ = try hook.peer.stop()
    let service = try stage.start()
    try service.take(Report.note("one", #","expires":"4s""#))
    #expect(try service.deliveries(1).map { $0["title"] } == ["one"])
    let carriages = try service.deliveries("one") { $0.allSatisfy { $0.isOver } }
    #expect(carriages.map(\.description) == ["push by lines: handed_over"])
    #expect(carriages.first?.attempts == ["hook: retry", "lines: delivered"])
    #expect(try service.stop() == .exited(0))
  }
}
