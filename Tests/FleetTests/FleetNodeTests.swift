import CivilTime
import Testing

@testable import Fleet

@Suite struct FleetNodeTests {
  private static let (me, other) = (FleetStage.me, FleetStage.other)
  private static let lease = TimeSpan.seconds(5)

  /// A view of two nodes that are well.
  private func two(_ owners: [Int64]) -> (Int) -> FleetView {
    { now in
      FleetStage.view(
        at: now,
        [
          FleetStage.sees(Self.me, heartbeat: now - 100),
          FleetStage.sees(Self.other, heartbeat: now - 100),
        ], owners: owners)
    }
  }

  /// A node that has shards 0, 1 and 2 of six.
  private func owner() -> FleetStage {
    var stage = FleetStage()
    _ = stage.run(until: 5, seeing: two([0, 0, 0, 2, 2, 2]))
    return stage
  }

  private static let owned: [Int64] = [1, 1, 1, 2, 2, 2]

  // MARK: - A day without trouble

  @Test func aNodeJoinsAndIsTrustedFromWhenItAsked() {
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

  @Test func itBeatsOnceASecondAndLooksTwice() {
    var stage = owner()
    let statements = stage.run(until: 10_005, seeing: two(Self.owned)).statements
    let beats = statements.count { $0 == .heartbeat(Self.me, isDraining: false) }
    #expect((9...11).contains(beats))
    #expect((18...21).contains(statements.count { $0 == .look }))
    #expect(statements.count == beats + statements.count { $0 == .look })
  }

  @Test func itClaimsItsShareAndTheEngineIsToldOfIt() {
    var stage = FleetStage()
    let actions = stage.run(until: 5, seeing: two([0, 0, 0, 2, 2, 2]))
    #expect(actions.claims.map(\.limit) == [3])
    let taken = [0, 1, 2].map { Tenure(shard: $0, epoch: 0) }
    #expect(stage.node.tenures == Set(taken))
    #expect(actions.contains { $0.acquires(taken) })
  }

  @Test func aHintIsLookedIntoAtOnce() {
    var stage = owner()
    _ = stage.run(until: 100, seeing: two(Self.owned))
    #expect(stage.node.hint(at: stage.moment(101)) == [.send(.look)])
    #expect(stage.node.hint(at: stage.moment(102)) == [])
  }

  @Test func itIsToBeWokenForWhatComesNext() {
    var stage = owner()
    _ = stage.run(until: 400, seeing: two(Self.owned))
    #expect(stage.node.wake.map { (400...510).contains($0.milliseconds) } ?? false)
    _ = stage.node.hint(at: stage.moment(401))
    // It waits for an answer, or for the end of its trust.
    #expect(stage.node.wake == .milliseconds(4_000))
  }

  // MARK: - Trouble

  @Test func whoHearsNothingTellsOfItOnce() {
    var stage = owner()
    _ = stage.node.hint(at: stage.moment(100))
    #expect(stage.node.tick(at: stage.moment(3_999)) == [])
    #expect(stage.node.tick(at: stage.moment(4_000)) == [.note(.distrusts)])
    #expect(stage.node.tick(at: stage.moment(4_100)) == [])
    _ = stage.node.answered(
      .view(two(Self.owned)(4_200)), from: stage.moment(100), to: stage.moment(4_200))
    #expect(stage.node.underWay == .heartbeat(Self.me, isDraining: false))
    let back = stage.node.answered(
      .heartbeat(isMember: true, database: FleetStage.start + .milliseconds(4_300)),
      from: stage.moment(4_300), to: stage.moment(4_301))
    #expect(back.contains(.note(.trustsAgain)))
  }

  @Test func whoDoesNotTrustItselfClaimsNothing() {
    var stage = FleetStage()
    _ = stage.node.tick(at: stage.moment(0))
    let view = two([0, 0, 0, 0, 0, 0])(4_500)
    let actions = stage.node.answered(
      .view(view), from: stage.moment(0), to: stage.moment(4_500))
    #expect(actions.claims.isEmpty && stage.node.chores.isEmpty)
  }

  @Test func whoIsFencedBeginsAnew() {
    var stage = owner()
    let actions = stage.run(until: 1_010, seeing: two(Self.owned)) { statement in
      guard case .heartbeat = statement else { return nil }
      return .heartbeat(isMember: false, database: FleetStage.start)
    }
    #expect(actions.contains(.note(.startsAnew(.fenced))))
    #expect(actions.startsAnew)
    #expect(stage.node.tenures.isEmpty && stage.node.incarnation == nil)
  }

  @Test func whatIsLostOrUnknownBeginsAnew() {
    for end in [{ $0.lost() }, { $0.engineFailed() }] as [(inout FleetNode) -> [FleetAction]] {
      var stage = owner()
      #expect(end(&stage.node).startsAnew)
      #expect(stage.node.wake == nil)
      #expect(stage.node.tick(at: stage.moment(9_000)) == [])
    }
  }

  @Test func whoseServerIsSilentSaysWhatToLookAt() {
    var stage = owner()
    let actions = stage.node.lost(.serverSilent)
    #expect(actions.startsAnew)
    let notes = actions.compactMap { if case .note(let note) = $0 { "\(note)" } else { nil } }
    #expect(notes.count == 1 && notes[0].contains("look whether the server hangs"))
  }

  @Test func whoFindsOtherShardsThanItsOwnBeginsAnew() {
    var stage = owner()
    let more = stage.run(until: 600, seeing: two([1, 1, 1, 1, 2, 2]))
    #expect(more.contains(.note(.startsAnew(.holdingsDiffer))))
  }

  @Test func whatIsRefusedIsTriedAgainLater() {
    var stage = owner()
    let view = two(Self.owned)
    _ = stage.run(until: 1_000, seeing: view)
    #expect(stage.node.underWay == .heartbeat(Self.me, isDraining: false))
    _ = stage.node.refused(at: stage.moment(1_300))
    #expect(stage.node.underWay == nil)
    #expect(stage.node.tick(at: stage.moment(1_540)) == [])
    #expect(
      stage.node.tick(at: stage.moment(1_550)) == [.send(.heartbeat(Self.me, isDraining: false))])
  }

  @Test func whoseClockIsWrongIsToldSoAndClaimsNothing() {
    var stage = FleetStage()
    stage.lead = 2_500
    let warned = stage.run(until: 1_100, seeing: two([2, 2, 2, 2, 2, 2]))
    #expect(warned.contains(.note(.skewed(.milliseconds(2_500), .severe))))
    #expect(stage.run(until: 2_900, seeing: two([0, 0, 0, 2, 2, 2])).claims.isEmpty)
    stage.lead = 0
    // Its next heartbeat measures it again.
    let right = stage.run(until: 3_500, seeing: two([0, 0, 0, 2, 2, 2]))
    #expect(right.contains(.note(.skewed(.zero, .none))))
    #expect(right.claims.map(\.limit).first == 3)
  }

  // MARK: - Giving away

  @Test func aShardGoesWhenTheEngineHasLetGoOfIt() throws {
    var stage = owner()
    let crowded = two([1, 1, 1, 2])
    let asked = stage.run(until: 3_000, seeing: crowded)
    let tenure = try #require(asked.released.first)
    // One at a time, and nothing is said to the store before the engine has answered.
    #expect(asked.released.count == 1)
    #expect(!asked.statements.contains(.release(Self.me, tenure)))
    let sent = stage.node.engineReleased(tenure, at: stage.moment(3_001))
    let isSent = sent.statements.contains(.release(Self.me, tenure))
    #expect(isSent || stage.node.underWay != nil)
    let rest = stage.run(until: 3_010, seeing: crowded)
    #expect(rest.contains(.note(.gaveAway(shard: tenure.shard))))
    #expect(!stage.node.tenures.contains(tenure))
  }

  @Test func aReleaseThatIsNoLongerOnesOwnBeginsAnew() throws {
    var stage = owner()
    let tenure = try #require(stage.run(until: 3_000, seeing: two([1, 1, 1, 2])).released.first)
    _ = stage.node.engineReleased(tenure, at: stage.moment(3_001))
    let actions = stage.run(until: 3_010, seeing: two([1, 1, 1, 2])) { statement in
      if case .release = statement { .released(false) } else { nil }
    }
    #expect(actions.contains(.note(.startsAnew(.holdingsDiffer))))
  }

  @Test func whoDrainsSaysSoAndGivesAllAway() {
    var stage = owner()
    var past: [FleetAction] = []
    var owners = Self.owned
    let view = { (now: Int) in
      FleetStage.view(
        at: now,
        [
          FleetStage.sees(Self.me, heartbeat: now, isDraining: true, isToDrain: true),
          FleetStage.sees(Self.other, heartbeat: now),
        ], owners: owners)
    }
    for step in 1...4 {
      let actions = stage.run(until: step * 1_000, seeing: view) { statement in
        // The other takes at once what has become free.
        if case .release(_, let tenure) = statement { owners[tenure.shard] = 2 }
        return nil
      }
      past += actions
      for tenure in actions.released {
        _ = stage.node.engineReleased(tenure, at: stage.moment(step * 1_000))
      }
    }
    let told = Self.told(past)
    #expect(!told.isEmpty && told.allSatisfy { $0 })
    #expect(past.count { $0 == .note(.drained) } == 1)
    #expect(stage.node.tenures.isEmpty)
    #expect(stage.node.incarnation == Self.me)
    owners = [2, 2, 2, 0, 0, 0]
    let end = stage.run(until: 4_600, seeing: view)
    #expect(end.claims.isEmpty)
    #expect(!end.contains(.note(.drained)))
  }

  @Test func f8AWishHoldsThroughANewStartAndUntilItIsUndone() {
    var stage = owner()
    _ = stage.run(until: 700, seeing: wishing(true))
    _ = stage.node.lost()
    _ = stage.node.connected(as: FleetStage.third)
    let joined = FleetAnswer.joined(database: FleetStage.start + .milliseconds(800))
    _ = stage.node.answered(joined, from: stage.moment(799), to: stage.moment(800))
    let view = { (wish: Bool) in
      { (now: Int) in
        FleetStage.view(
          at: now,
          [
            FleetStage.sees(FleetStage.third, heartbeat: now, isToDrain: wish),
            FleetStage.sees(Self.other, heartbeat: now),
          ], owners: [0, 0])
      }
    }
    #expect(stage.run(until: 2_500, seeing: view(true)).claims.isEmpty)
    #expect(stage.node.isDraining)
    let undone = stage.run(until: 4_000, seeing: view(false))
    #expect(!stage.node.isDraining)
    #expect(undone.claims.contains { Set($0.shards) == [0, 1] })
  }

  /// F8: an operator's wish is for the name, and not for one start of it.
  @Test func f8WhoIsStartedUnderADrainedNameClaimsNothing() {
    var stage = FleetStage()
    let drained = { (now: Int) in
      FleetStage.view(
        at: now,
        [
          FleetStage.sees(Self.me, heartbeat: now, isToDrain: true),
          FleetStage.sees(Self.other, heartbeat: now),
        ], owners: [0, 0])
    }
    let actions = stage.run(until: 2_000, seeing: drained)
    #expect(actions.claims.isEmpty)
    #expect(stage.node.isDraining)
    let told = Self.told(actions)
    #expect(!told.isEmpty && told.allSatisfy { $0 })
  }

  /// F8: who is drained serves as long as nobody else is there.
  @Test func f8WhoIsDrainedAndAloneServesUntilSomebodyComes() {
    func view(_ others: FleetView.Node..., owners: [Int64]) -> (Int) -> FleetView {
      { now in
        FleetStage.view(
          at: now, [FleetStage.sees(Self.me, heartbeat: now, isToDrain: true)] + others,
          owners: owners)
      }
    }
    let gone = FleetStage.sees(Self.other, heartbeat: 0, isConnected: false)
    let drained = FleetStage.sees(FleetStage.third, heartbeat: 0, isToDrain: true)
    var starting = FleetStage()
    let claims = starting.run(until: 600, seeing: view(gone, drained, owners: [0, 0])).claims
    #expect(claims.contains { Set($0.shards) == [0, 1] })
    var stage = owner()
    _ = stage.run(until: 2_000, seeing: view(gone, drained, owners: Self.owned))
    #expect(!stage.node.isDraining)
    let other = FleetStage.sees(Self.other, heartbeat: 2_000)
    _ = stage.run(until: 3_000, seeing: view(other, owners: Self.owned))
    #expect(stage.node.isDraining)
  }

  /// What the heartbeats after the usual one have said.
  private static func told(_ actions: [FleetAction]) -> [Bool] {
    actions.statements.compactMap {
      if case .heartbeat(_, let isDraining) = $0 { isDraining } else { nil }
    }
  }

  /// F6: whoever is right is to have what a node with a wrong clock does not take.
  @Test func f6WhoseClockIsWrongTellsTheOthersThatItTakesNoMore() {
    var stage = FleetStage()
    let early = stage.run(until: 1_500, seeing: two([2, 2]))
    stage.lead = 2_500
    let wrong = stage.run(until: 2_100, seeing: two([2, 2]))
    stage.lead = 0
    let right = stage.run(until: 3_100, seeing: two([2, 2]))
    #expect(Self.told(early) == [false])
    #expect(Self.told(wrong) == [false, true])
    #expect(Self.told(right) == [true, false])
  }

  /// Two, of whom an operator wants something of the first.
  private func wishing(_ isToDrain: Bool) -> (Int) -> FleetView {
    { now in
      FleetStage.view(
        at: now,
        [
          FleetStage.sees(Self.me, heartbeat: now, isToDrain: isToDrain),
          FleetStage.sees(Self.other, heartbeat: now),
        ], owners: Self.owned)
    }
  }

  // MARK: - Its end

  @Test func whoStopsFinishesAndThenResigns() {
    var stage = owner()
    #expect(stage.node.stop() == [.end])
    #expect(stage.node.stop() == [])
    #expect(stage.run(until: 900, seeing: two(Self.owned)).contains(.finish) == false)
    _ = stage.node.engineEnded(at: stage.moment(900))
    let actions = stage.run(until: 910, seeing: two(Self.owned))
    #expect(actions.last == .finish)
    #expect(stage.run(until: 3_000, seeing: two(Self.owned)) == [])
  }

  @Test func whoStopsWhileItIsAwayEndsAtOnce() {
    var stage = owner()
    _ = stage.node.lost()
    #expect(stage.node.stop() == [.finish])
    #expect(stage.node.unreachable() == [])
    #expect(stage.node.connected(as: FleetStage.third) == [])
  }

  @Test func whoCannotReachTheServerTriesAgain() {
    var node = FleetNode(name: "north", FleetTimes())
    _ = node.begin()
    #expect(node.unreachable() == [.connect(after: .milliseconds(250))])
  }
}
