import CivilTime
import Testing

@testable import Fleet

@Suite struct DeposingTests {
  /// Who is deposed by a node that sees another so until 12 seconds have passed, and when first.
  private func deposed(
    _ stage: FleetStage = FleetStage(), until end: Int = 12_000,
    seeing other: @escaping (Int) -> FleetView.Node
  ) -> [Incarnation] {
    var stage = stage
    let view = { (now: Int) in
      FleetStage.view(
        at: now, [FleetStage.sees(FleetStage.me, heartbeat: now), other(now)], owners: [2])
    }
    return stage.run(until: end, seeing: view).deposed
  }

  @Test func whoBeatsAndIsConnectedIsLeftAlone() {
    #expect(deposed { FleetStage.sees(FleetStage.other, heartbeat: $0 - 900) } == [])
  }

  @Test func whoseSessionHasEndedIsDeposedAtTheNextLook() {
    let other = { (now: Int) in
      FleetStage.sees(FleetStage.other, heartbeat: now - 100, isConnected: now < 8_000)
    }
    #expect(deposed(until: 8_000, seeing: other) == [])
    #expect(deposed(until: 8_520, seeing: other).first == FleetStage.other)
  }

  @Test func whoIsSilentIsDeposedAfterALease() {
    let other = { (now: Int) in FleetStage.sees(FleetStage.other, heartbeat: min(now, 6_000)) }
    #expect(deposed(until: 10_990, seeing: other) == [])
    #expect(deposed(until: 11_600, seeing: other).first == FleetStage.other)
  }

  @Test func nobodyIsBeforeALeaseOfContact() {
    let other = { (_: Int) in
      FleetStage.sees(FleetStage.other, heartbeat: -60_000, isConnected: false)
    }
    #expect(deposed(until: 5_000, seeing: other) == [])
    #expect(deposed(until: 5_520, seeing: other).first == FleetStage.other)
  }

  @Test func whoIsFencedAlreadyIsNot() {
    let other = { (_: Int) in
      FleetStage.sees(FleetStage.other, heartbeat: -60_000, isFenced: true, isConnected: false)
    }
    #expect(deposed(seeing: other) == [])
  }

  @Test func aServersClockThatLeapsMakesNobodySilent() {
    // From 8 seconds on the server's clock is an hour ahead of what heartbeats have said so far.
    let other = { (now: Int) in
      FleetStage.sees(FleetStage.other, heartbeat: now - (8_000..<8_900 ~= now ? 3_600_000 : 100))
    }
    #expect(deposed(seeing: other) == [])
  }

  @Test func whatWasPlannedIsNotDoneAfterABreak() {
    var stage = FleetStage()
    let view = { (now: Int) in
      FleetStage.view(
        at: now,
        [
          FleetStage.sees(FleetStage.me, heartbeat: now),
          FleetStage.sees(FleetStage.other, heartbeat: now, isConnected: now < 8_000),
        ], owners: [2])
    }
    _ = stage.run(until: 7_900, seeing: view)
    stage.node.chores = [.depose(FleetStage.other, .gone, lease: .seconds(5))]
    stage.node.underWay = nil
    let sent = stage.node.tick(at: stage.moment(12_000)).statements
    #expect(sent.count == 1)
    #expect([FleetAction.send(sent[0])].deposed == [])
  }

  @Test func whatThisProcessWasIsDeposedAtOnce() throws {
    var stage = FleetStage()
    #expect(stage.node.lost().startsAnew)
    _ = stage.node.connected(as: FleetStage.third)
    _ = stage.node.answered(
      .joined(database: FleetStage.start), from: stage.moment(9), to: stage.moment(9))
    let own = FleetStatement.depose(FleetStage.me, .own, lease: .seconds(5))
    #expect(stage.node.underWay == own)
    // It is tried until it is done.
    _ = stage.node.refused(at: stage.moment(10))
    let view = { (now: Int) in
      FleetStage.view(at: now, [FleetStage.sees(FleetStage.third, heartbeat: now)], owners: [])
    }
    #expect(stage.run(until: 1_000, seeing: view).deposed == [FleetStage.me])
  }
}
