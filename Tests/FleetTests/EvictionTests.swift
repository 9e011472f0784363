import CivilTime
import Testing

@testable import Fleet

@Suite struct EvictionTests {
  /// Returns the nodes that the stage's node evicts until `end`, in order. At each time it sees the
  /// other node as `other` returns it. Times are in milliseconds.
  private func evictions(
    _ stage: FleetStage = FleetStage(), until end: Int = 12_000,
    seeing other: @escaping (Int) -> FleetView.Node
  ) -> [Incarnation] {
    var stage = stage
    let view = { (now: Int) in
      FleetStage.view(
        at: now, [FleetStage.nodeView(FleetStage.me, heartbeat: now), other(now)], owners: [2])
    }
    return stage.run(until: end, seeing: view).evictions
  }

  @Test func `a connected node with a fresh heartbeat is not evicted`() {
    #expect(evictions { FleetStage.nodeView(FleetStage.other, heartbeat: $0 - 900) } == [])
  }

  @Test func `a node whose session has ended is evicted at the next look`() {
    let other = { (now: Int) in
      FleetStage.nodeView(FleetStage.other, heartbeat: now - 100, isConnected: now < 8_000)
    }
    #expect(evictions(until: 8_000, seeing: other) == [])
    #expect(evictions(until: 8_520, seeing: other).first == FleetStage.other)
  }

  @Test func `a silent node is evicted after a lease`() {
    let other = { (now: Int) in FleetStage.nodeView(FleetStage.other, heartbeat: min(now, 6_000)) }
    #expect(evictions(until: 10_990, seeing: other) == [])
    #expect(evictions(until: 11_600, seeing: other).first == FleetStage.other)
  }

  @Test func `no node is evicted before contact with the server has lasted a lease`() {
    let other = { (_: Int) in
      FleetStage.nodeView(FleetStage.other, heartbeat: -60_000, isConnected: false)
    }
    #expect(evictions(until: 5_000, seeing: other) == [])
    #expect(evictions(until: 5_520, seeing: other).first == FleetStage.other)
  }

  @Test func `a fenced node is not evicted again`() {
    let other = { (_: Int) in
      FleetStage.nodeView(FleetStage.other, heartbeat: -60_000, isFenced: true, isConnected: false)
    }
    #expect(evictions(seeing: other) == [])
  }

  @Test func `a leap of the server's clock makes no node silent`() {
    // From 8.0 s to 8.9 s, the server's clock is an hour ahead of the other node's heartbeat.
    let other = { (now: Int) in
      FleetStage.nodeView(
        FleetStage.other, heartbeat: now - (8_000..<8_900 ~= now ? 3_600_000 : 100))
    }
    #expect(evictions(seeing: other) == [])
  }

  @Test func `a planned eviction is dropped after a break in the contact with the server`() {
    var stage = FleetStage()
    let view = { (now: Int) in
      FleetStage.view(
        at: now,
        [
          FleetStage.nodeView(FleetStage.me, heartbeat: now),
          FleetStage.nodeView(FleetStage.other, heartbeat: now, isConnected: now < 8_000),
        ], owners: [2])
    }
    _ = stage.run(until: 7_900, seeing: view)
    stage.node.chores = [.evict(FleetStage.other, .gone, lease: .seconds(5))]
    stage.node.inProgress = nil
    let statements = stage.node.tick(at: stage.moment(12_000)).statements
    #expect(statements.count == 1)
    #expect([FleetAction.send(statements[0])].evictions == [])
  }

  @Test func `a process evicts its own previous incarnation at once`() throws {
    var stage = FleetStage()
    #expect(stage.node.lost().rejoins)
    _ = stage.node.connected(as: FleetStage.third)
    _ = stage.node.answered(
      .joined(database: FleetStage.start), from: stage.moment(9), to: stage.moment(9))
    let statement = FleetStatement.evict(FleetStage.me, .own, lease: .seconds(5))
    #expect(stage.node.inProgress == statement)
    // A refused statement is repeated until it succeeds.
    _ = stage.node.refused(at: stage.moment(10))
    let view = { (now: Int) in
      FleetStage.view(at: now, [FleetStage.nodeView(FleetStage.third, heartbeat: now)], owners: [])
    }
    #expect(stage.run(until: 1_000, seeing: view).evictions == [FleetStage.me])
  }
}
