import Glibc
import JSON
import TestSupport
import Testing

/// Rule D1 with a receiver that stores ids, and acts once on each.
@OwnThread
@Suite(
  .enabled(
    if: HookPeer.isAvailable, "standardwebhooks is missing; run `make test`, which fetches it"))
struct HookKillTests {
  @Test func `after many kills, each acknowledged event has one effect`() throws {
    let kills = Project.variable("CHIMED_HOOK_KILLS").flatMap { Int($0) } ?? 12
    let seed = Project.variable("CHIMED_SEED").flatMap { UInt64($0) } ?? .random(in: 0...999_999)
    print("killing \(kills) times; to repeat it: CHIMED_HOOK_KILLS=\(kills) CHIMED_SEED=\(seed)")
    var random = SplitMix64(seed: seed)
    let runs = try WebhookRuns(seed: random.next())
    for _ in 0..<kills {
      let ending = try runs.run(until: .random(using: &random))
      #expect(ending == .killed(signal: SIGKILL))
    }
    #expect(try runs.finishAllWork() == .exited(0))
    let (ledger, effects) = (runs.ledger, runs.effects)
    print(
      "\(ledger.count) events in \(ledger.runCount) runs: "
        + "\(effects.repetitions) requests repeated, "
        + "\(runs.orphanedRunCount) runs with orphaned deliveries")
    #expect(ledger.violations == [])
    #expect(effects.violations == [])
    #expect(ledger.unacknowledgedCount == 0)
    #expect((0..<ledger.count).filter { !effects.contains("e\($0)") } == [])
    #expect(effects.count == ledger.count)
  }

  /// The receiver has received deliveries and answered none when the service is killed.
  @Test func `deliveries in flight at a kill are counted and repeated with their ids`() throws {
    let hook = try HookPeer()
    try hook.answer(0)
    let stage = try DeliveryStage(
      ["hook": hook.sink], routes: "{push: hook}", secrets: HookPeer.secrets)
    let first = try stage.start()
    let events = (0..<300).map { Report.note("e\($0)", to: "r\($0)") }
    #expect(try first.ask("POST", "/v1/events", Report.batch(events)).status == 200)
    // The sink sends 64 requests at the same time.
    let unanswered = try (0..<64).map { _ in try hook.peer.next()["event"]?["id"]?.stringValue }
    first.process.send(SIGKILL)
    _ = try first.process.finish()

    try hook.answer(204)
    let second = try stage.start()
    try second.waitUntilLogged("unanswered deliveries when the service ended")
    let repeated = try (0..<300).map { _ in try hook.peer.next() }
    #expect(repeated.allSatisfy { $0["acted"] == true })
    let identifiers = Set(repeated.map { $0["event"]?["id"]?.stringValue })
    #expect(identifiers.count == 300 && identifiers.isSuperset(of: unanswered))
    let metrics = try second.metrics { $0["chimed_outbox_waiting{sink=\"hook\"}"] == 0 }
    // The sink's window is 256 deliveries.
    #expect(metrics["chimed_orphaned_deliveries_total{sink=\"hook\"}"] == 256)
    #expect(try second.stop() == .exited(0))
  }
}
