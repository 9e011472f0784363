import CivilTime
import Testing

@testable import Fleet

@Suite struct FleetNodeTests {
  private static let (me, other) = (FleetStage.me, FleetStage.other)
  private static let lease = TimeSpan.seconds(5)

  /// Returns a function that maps a time in milliseconds to a view of two healthy nodes.
  private func viewOfTwo(_ owners: [Int64]) -> (Int) -> FleetView {
    { now in
      FleetStage.view(
        at: now,
        [
          FleetStage.nodeView(Self.me, heartbeat: now - 100),
          FleetStage.nodeView(Self.other, heartbeat: now - 100),
        ], owners: owners)
    }
  }

  /// Returns a stage whose node owns shards 0, 1 and 2 of six.
  private func stageOfOwner() -> FleetStage {
    var stage = FleetStage()
    _ = stage.run(until: 5, seeing: viewOfTwo([0, 0, 0, 2, 2, 2]))
    return stage
  }

  /// The owners after the node has claimed shards 0, 1 and 2.
  private static let owned: [Int64] = [1, 1, 1, 2, 2, 2]

  // MARK: - Normal life

  @Test func `a node joins and is trusted from the instant of its request`() {
    var node = FleetNode(name: "north", FleetTimes(lease: Self.lease))
    let stage = FleetStage()
    #expect(node.begin() == [.connect(after: .zero)])
    #expect(node.connected(as: Self.me) == [.send(.join(Self.me, name: "north", address: ""))])
    let actions = node.answered(
      .joined(database: FleetStage.start), from: stage.moment(0), to: stage.moment(80))
    let trust = Trust(from: stage.moment(0), node.times)
    #expect(
      actions == [.serve(Self.me), .note(.joined(Self.me)), .trust(trust), .send(.look)])
  }

  @Test func `a node sends one heartbeat and two looks a second`() {
    var stage = stageOfOwner()
    let statements = stage.run(until: 10_005, seeing: viewOfTwo(Self.owned)).statements
    let beats = statements.count { $0 == .heartbeat(Self.me, isDraining: false, skew: .zero) }
    #expect((9...11).contains(beats))
    #expect((18...21).contains(statements.count { $0 == .look }))
    #expect(statements.count == beats + statements.count { $0 == .look })
  }

  @Test func `a node claims its share, and its engine acquires the shards`() {
    var stage = FleetStage()
    let actions = stage.run(until: 5, seeing: viewOfTwo([0, 0, 0, 2, 2, 2]))
    #expect(actions.claims.map(\.limit) == [3])
    let taken = [0, 1, 2].map { Tenure(shard: $0, epoch: 0) }
    #expect(stage.node.tenures == Set(taken))
    #expect(actions.contains { $0.acquires(taken) })
  }

  @Test func `a hint leads to a look at once`() {
    var stage = stageOfOwner()
    _ = stage.run(until: 100, seeing: viewOfTwo(Self.owned))
    #expect(stage.node.hint(at: stage.moment(101)) == [.send(.look)])
    #expect(stage.node.hint(at: stage.moment(102)) == [])
  }

  @Test func `a node wakes for the next statement or at the end of trust`() {
    var stage = stageOfOwner()
    _ = stage.run(until: 400, seeing: viewOfTwo(Self.owned))
    #expect(stage.node.wake.map { (400...510).contains($0.milliseconds) } ?? false)
    _ = stage.node.hint(at: stage.moment(401))
    // While a statement is unanswered, the node waits for its answer or for the end of trust.
    #expect(stage.node.wake == .milliseconds(4_000))
  }

  // MARK: - Trouble

  @Test func `a node without answers reports its distrust once`() {
    var stage = stageOfOwner()
    _ = stage.node.hint(at: stage.moment(100))
    #expect(stage.node.tick(at: stage.moment(3_999)) == [])
    #expect(stage.node.tick(at: stage.moment(4_000)) == [.note(.distrusts)])
    #expect(stage.node.tick(at: stage.moment(4_100)) == [])
    _ = stage.node.answered(
      .view(viewOfTwo(Self.owned)(4_200)), from: stage.moment(100), to: stage.moment(4_200))
    #expect(stage.node.inProgress == .heartbeat(Self.me, isDraining: false, skew: .zero))
    let actions = stage.node.answered(
      .heartbeat(isMember: true, database: FleetStage.start + .milliseconds(4_300)),
      from: stage.moment(4_300), to: stage.moment(4_301))
    #expect(actions.contains(.note(.trustsAgain)))
  }

  @Test func `a node that distrusts itself claims nothing`() {
    var stage = FleetStage()
    _ = stage.node.tick(at: stage.moment(0))
    let view = viewOfTwo([0, 0, 0, 0, 0, 0])(4_500)
    let actions = stage.node.answered(
      .view(view), from: stage.moment(0), to: stage.moment(4_500))
    #expect(actions.claims.isEmpty && stage.node.chores.isEmpty)
  }

  @Test func `a fenced node joins again as a new incarnation`() {
    var stage = stageOfOwner()
    let actions = stage.run(until: 1_010, seeing: viewOfTwo(Self.owned)) { statement in
      guard case .heartbeat = statement else { return nil }
      return .heartbeat(isMember: false, database: FleetStage.start)
    }
    #expect(actions.contains(.note(.rejoins(.fenced))))
    #expect(actions.rejoins)
    #expect(stage.node.tenures.isEmpty && stage.node.incarnation == nil)
  }

  @Test func `a lost connection or a failed engine starts a new incarnation`() {
    for end in [{ $0.lost() }, { $0.engineFailed() }] as [(inout FleetNode) -> [FleetAction]] {
      var stage = stageOfOwner()
      #expect(end(&stage.node).rejoins)
      #expect(stage.node.wake == nil)
      #expect(stage.node.tick(at: stage.moment(9_000)) == [])
    }
  }

  @Test func `the note about a silent server names what to check`() {
    var stage = stageOfOwner()
    let actions = stage.node.lost(.serverSilent)
    #expect(actions.rejoins)
    let notes = actions.compactMap { if case .note(let note) = $0 { "\(note)" } else { nil } }
    #expect(notes.count == 1 && notes[0].contains("check whether the server hangs"))
  }

  @Test func `a refused join is repeated as another incarnation, without a note`() {
    var node = FleetNode(name: "north", FleetTimes(lease: Self.lease))
    _ = node.connected(as: Self.me)
    let actions = node.refused(at: FleetStage().moment(100))
    #expect(actions == [.discard, .connect(after: node.times.retry)])
    #expect(node.incarnation == nil)
  }

  @Test func `a node whose shards differ from the store's joins again`() {
    var stage = stageOfOwner()
    let actions = stage.run(until: 600, seeing: viewOfTwo([1, 1, 1, 1, 2, 2]))
    #expect(actions.contains(.note(.rejoins(.holdingsDiffer))))
  }

  @Test func `a refused statement is repeated later`() {
    var stage = stageOfOwner()
    let view = viewOfTwo(Self.owned)
    _ = stage.run(until: 1_000, seeing: view)
    #expect(stage.node.inProgress == .heartbeat(Self.me, isDraining: false, skew: .zero))
    _ = stage.node.refused(at: stage.moment(1_300))
    #expect(stage.node.inProgress == nil)
    #expect(stage.node.tick(at: stage.moment(1_540)) == [])
    #expect(
      stage.node.tick(at: stage.moment(1_550)) == [
        .send(.heartbeat(Self.me, isDraining: false, skew: .zero))
      ])
  }

  @Test func `a node with a wrong clock reports the skew and claims nothing`() {
    var stage = FleetStage()
    stage.lead = 2_500
    let warned = stage.run(until: 1_100, seeing: viewOfTwo([2, 2, 2, 2, 2, 2]))
    #expect(warned.contains(.note(.skewed(.milliseconds(2_500), .severe))))
    #expect(stage.run(until: 2_900, seeing: viewOfTwo([0, 0, 0, 2, 2, 2])).claims.isEmpty)
    stage.lead = 0
    // The next heartbeat measures the skew again.
    let right = stage.run(until: 3_500, seeing: viewOfTwo([0, 0, 0, 2, 2, 2]))
    #expect(right.contains(.note(.skewed(.zero, .none))))
    #expect(right.claims.map(\.limit).first == 3)
  }

  @Test func `F6: the server's clock counts if another node agrees with it`() {
    var stage = stageOfOwner()
    stage.lead = 285_000
    _ = stage.run(until: 3_000, seeing: viewOfTwo(Self.owned))
    let reading = stage.node.serverReading
    #expect(reading.map { $0.server - FleetStage.start } == reading?.sinceBoot)
    let others = FleetStage.nodeView(Self.other, heartbeat: 0, isDraining: true)
    _ = stage.run(until: 4_000) { now in
      FleetStage.view(
        at: now, [FleetStage.nodeView(Self.me, heartbeat: now), others], owners: Self.owned)
    }
    #expect(stage.node.serverReading == nil)
  }

  @Test func `F6: a node whose clock is wrong by 2 s gives its shards to other nodes`() {
    var stage = stageOfOwner()
    stage.lead = 3_000
    let wrong = stage.run(until: 3_000, seeing: viewOfTwo(Self.owned))
    #expect(wrong.releases.count == 1)
    var loneStage = stageOfOwner()
    loneStage.lead = 3_000
    let others = FleetStage.nodeView(Self.other, heartbeat: 0, isDraining: true)
    let actions = loneStage.run(until: 3_000) { now in
      FleetStage.view(
        at: now, [FleetStage.nodeView(Self.me, heartbeat: now), others], owners: Self.owned)
    }
    #expect(actions.releases.isEmpty)
  }

  // MARK: - Giving shards away

  @Test func `a shard is freed when the engine has released it`() throws {
    var stage = stageOfOwner()
    let crowded = viewOfTwo([1, 1, 1, 2])
    let actions = stage.run(until: 3_000, seeing: crowded)
    let tenure = try #require(actions.releases.first)
    // One shard is released at a time, and the store is updated after the engine's answer.
    #expect(actions.releases.count == 1)
    #expect(!actions.statements.contains(.release(Self.me, tenure)))
    let sent = stage.node.engineReleased(tenure, at: stage.moment(3_001))
    let isSent = sent.statements.contains(.release(Self.me, tenure))
    #expect(isSent || stage.node.inProgress != nil)
    let rest = stage.run(until: 3_010, seeing: crowded)
    #expect(rest.contains(.note(.gaveAway(shard: tenure.shard))))
    #expect(!stage.node.tenures.contains(tenure))
  }

  @Test func `a node that releases a shard that it has lost joins again`() throws {
    var stage = stageOfOwner()
    let tenure = try #require(
      stage.run(until: 3_000, seeing: viewOfTwo([1, 1, 1, 2])).releases.first)
    _ = stage.node.engineReleased(tenure, at: stage.moment(3_001))
    let actions = stage.run(until: 3_010, seeing: viewOfTwo([1, 1, 1, 2])) { statement in
      if case .release = statement { .released(false) } else { nil }
    }
    #expect(actions.contains(.note(.rejoins(.holdingsDiffer))))
  }

  @Test func `a draining node announces the drain and gives all its shards away`() {
    var stage = stageOfOwner()
    var allActions: [FleetAction] = []
    var owners = Self.owned
    let view = { (now: Int) in
      FleetStage.view(
        at: now,
        [
          FleetStage.nodeView(Self.me, heartbeat: now, isDraining: true, isDrainRequested: true),
          FleetStage.nodeView(Self.other, heartbeat: now),
        ], owners: owners)
    }
    for step in 1...4 {
      let actions = stage.run(until: step * 1_000, seeing: view) { statement in
        // The other node claims each free shard at once.
        if case .release(_, let tenure) = statement { owners[tenure.shard] = 2 }
        return nil
      }
      allActions += actions
      for tenure in actions.releases {
        _ = stage.node.engineReleased(tenure, at: stage.moment(step * 1_000))
      }
    }
    let flags = Self.drainFlags(allActions)
    #expect(!flags.isEmpty && flags.allSatisfy { $0 })
    #expect(allActions.count { $0 == .note(.drained) } == 1)
    #expect(stage.node.tenures.isEmpty)
    #expect(stage.node.incarnation == Self.me)
    owners = [2, 2, 2, 0, 0, 0]
    let end = stage.run(until: 4_600, seeing: view)
    #expect(end.claims.isEmpty)
    #expect(!end.contains(.note(.drained)))
  }

  @Test func `F8: a drain outlasts a new start and ends when it is undone`() {
    var stage = stageOfOwner()
    _ = stage.run(until: 700, seeing: drainView(true))
    _ = stage.node.lost()
    _ = stage.node.connected(as: FleetStage.third)
    let joined = FleetAnswer.joined(database: FleetStage.start + .milliseconds(800))
    _ = stage.node.answered(joined, from: stage.moment(799), to: stage.moment(800))
    let view = { (isRequested: Bool) in
      { (now: Int) in
        FleetStage.view(
          at: now,
          [
            FleetStage.nodeView(FleetStage.third, heartbeat: now, isDrainRequested: isRequested),
            FleetStage.nodeView(Self.other, heartbeat: now),
          ], owners: [0, 0])
      }
    }
    #expect(stage.run(until: 2_500, seeing: view(true)).claims.isEmpty)
    #expect(stage.node.isDraining)
    let undone = stage.run(until: 4_000, seeing: view(false))
    #expect(!stage.node.isDraining)
    #expect(undone.claims.contains { Set($0.shards) == [0, 1] })
  }

  /// A drain belongs to a node's name, not to one incarnation.
  @Test func `F8: a node that starts under a drained name claims nothing`() {
    var stage = FleetStage()
    let drained = { (now: Int) in
      FleetStage.view(
        at: now,
        [
          FleetStage.nodeView(Self.me, heartbeat: now, isDrainRequested: true),
          FleetStage.nodeView(Self.other, heartbeat: now),
        ], owners: [0, 0])
    }
    let actions = stage.run(until: 2_000, seeing: drained)
    #expect(actions.claims.isEmpty)
    #expect(stage.node.isDraining)
    let flags = Self.drainFlags(actions)
    #expect(!flags.isEmpty && flags.allSatisfy { $0 })
  }

  @Test func `F8: a drained node that is alone serves until another node joins`() {
    func view(_ others: FleetView.Node..., owners: [Int64]) -> (Int) -> FleetView {
      { now in
        FleetStage.view(
          at: now, [FleetStage.nodeView(Self.me, heartbeat: now, isDrainRequested: true)] + others,
          owners: owners)
      }
    }
    let disconnected = FleetStage.nodeView(Self.other, heartbeat: 0, isConnected: false)
    let drained = FleetStage.nodeView(FleetStage.third, heartbeat: 0, isDrainRequested: true)
    var starting = FleetStage()
    let claims = starting.run(until: 600, seeing: view(disconnected, drained, owners: [0, 0]))
      .claims
    #expect(claims.contains { Set($0.shards) == [0, 1] })
    var stage = stageOfOwner()
    _ = stage.run(until: 2_000, seeing: view(disconnected, drained, owners: Self.owned))
    #expect(!stage.node.isDraining)
    let other = FleetStage.nodeView(Self.other, heartbeat: 2_000)
    _ = stage.run(until: 3_000, seeing: view(other, owners: Self.owned))
    #expect(stage.node.isDraining)
  }

  /// Returns, for each heartbeat, whether it announced a drain.
  private static func drainFlags(_ actions: [FleetAction]) -> [Bool] {
    actions.statements.compactMap {
      if case .heartbeat(_, let isDraining, _) = $0 { isDraining } else { nil }
    }
  }

  @Test func `F6: a heartbeat reports how far the node's clock is ahead`() {
    var stage = FleetStage()
    stage.lead = -2_500
    let skews = stage.run(until: 2_500, seeing: viewOfTwo([2, 2])).statements.compactMap {
      if case .heartbeat(_, _, let skew) = $0 { skew } else { nil }
    }
    #expect(skews.first == .zero)
    #expect(skews.last == .milliseconds(-2_500))
  }

  /// Other nodes must claim the shards that a node with a wrong clock does not claim.
  @Test func `F6: a node with a wrong clock announces that it claims nothing`() {
    var stage = FleetStage()
    let early = stage.run(until: 1_500, seeing: viewOfTwo([2, 2]))
    stage.lead = 2_500
    let wrong = stage.run(until: 2_100, seeing: viewOfTwo([2, 2]))
    stage.lead = 0
    let right = stage.run(until: 3_100, seeing: viewOfTwo([2, 2]))
    #expect(Self.drainFlags(early) == [false])
    #expect(Self.drainFlags(wrong) == [false, true])
    #expect(Self.drainFlags(right) == [true, false])
  }

  /// Returns a function that maps a time in milliseconds to a view of two nodes. The first node
  /// must drain if `isDrainRequested`.
  private func drainView(_ isDrainRequested: Bool) -> (Int) -> FleetView {
    { now in
      FleetStage.view(
        at: now,
        [
          FleetStage.nodeView(Self.me, heartbeat: now, isDrainRequested: isDrainRequested),
          FleetStage.nodeView(Self.other, heartbeat: now),
        ], owners: Self.owned)
    }
  }

  // MARK: - The end

  @Test func `a stopping node resigns after its engine has ended`() {
    var stage = stageOfOwner()
    #expect(stage.node.stop() == [.end])
    #expect(stage.node.stop() == [])
    #expect(stage.run(until: 900, seeing: viewOfTwo(Self.owned)).contains(.finish) == false)
    _ = stage.node.engineEnded(at: stage.moment(900))
    let actions = stage.run(until: 910, seeing: viewOfTwo(Self.owned))
    #expect(actions.last == .finish)
    #expect(stage.run(until: 3_000, seeing: viewOfTwo(Self.owned)) == [])
  }

  @Test func `a node that stops while disconnected ends at once`() {
    var stage = stageOfOwner()
    _ = stage.node.lost()
    #expect(stage.node.stop() == [.finish])
    #expect(stage.node.unreachable() == [])
    #expect(stage.node.connected(as: FleetStage.third) == [])
  }

  @Test func `a node that cannot connect tries again`() {
    var node = FleetNode(name: "north", FleetTimes())
    _ = node.begin()
    #expect(node.unreachable() == [.connect(after: .milliseconds(250))])
  }
}
