import CivilTime
import Fleet
import Synchronization
import Systemd
import Testing

@testable import FleetService

/// A node's thread, with simulated time, server and engines.
@Suite struct NodeLoopTests {
  private let stage: NodeStage

  init() throws {
    stage = try NodeStage()
  }

  /// The connection stays open after the end of trust, but the server is silent.
  @Test func `F4: no engine cycle begins after the end of trust`() {
    stage.at(10) { [stage] in stage.server.condition = .silent }
    stage.at(30) { [stage] in stage.server.condition = .healthy }
    stage.at(40) {}
    stage.run()
    #expect(stage.cycleChecks.count > 100)
    #expect(stage.cycleChecks.late == 0)
    #expect(stage.checksWithoutTrust > 0)
  }

  /// The node returns as another incarnation and claims the same shards.
  @Test func `F5: a node that is cut off discards its engine and joins again`() {
    let allShards = Set(0..<FakeServer.shards)
    stage.at(9) { [stage] in
      #expect(stage.service.isServing)
      #expect(stage.engines.map(\.shards) == [allShards])
      stage.server.condition = .silent
    }
    stage.at(29) { [stage] in
      #expect(!stage.service.isServing)
      #expect(stage.engines.map(\.isAbandoned) == [true])
      stage.server.condition = .healthy
    }
    stage.at(45) { [stage] in
      #expect(stage.service.isServing)
      #expect(stage.engines.map(\.isAbandoned) == [true, false])
      #expect(stage.engines.last?.shards == allShards)
      #expect(stage.server.members == [stage.engines[1].incarnation])
      #expect(stage.server.evicted.contains(stage.engines[0].incarnation))
    }
    stage.run()
    #expect(stage.server.members.isEmpty)
    let evictions = stage.state.snapshot.withLock(\.evictions)
    #expect(evictions == [.own: stage.server.evicted.count])
  }

  /// If a server hangs, a node connects again after the timeout of one answer.
  @Test func `a node connects again if a statement is not answered in time`() {
    stage.at(10) { [stage] in stage.server.condition = .silent }
    stage.at(14) { [stage] in
      #expect(stage.connectionTimes.count == 1)
      stage.server.condition = .healthy
    }
    stage.at(20) {}
    stage.run()
    let times = NodeStage.times
    #expect(stage.connectionTimes.count == 2)
    #expect(
      stage.connectionTimes.last == stage.server.lastUnanswered + times.answerMax + times.retry)
  }

  /// An engine may open or answer after its node has joined as another incarnation.
  @Test func `messages of a discarded engine change nothing`() {
    stage.isOpeningSlow = true
    stage.at(5) { [stage] in stage.server.condition = .cutting }
    stage.at(10) { [stage] in
      #expect(stage.engines.count == 2)
      let old = stage.engines[0].incarnation
      stage.finishOpening(0)
      stage.mailbox.post(.acquired(old, [0]))
      stage.mailbox.post(.ended(old))
    }
    stage.at(11) { [stage] in
      #expect(stage.engines[0].isAbandoned && !stage.service.isServing)
      stage.finishOpening(1)
    }
    stage.at(15) { [stage] in
      #expect(stage.service.isServing && !stage.engines[1].isAbandoned)
      #expect(stage.engines[1].shards.count == FakeServer.shards)
    }
    stage.run()
    #expect(stage.engines.count == 2)
  }

  /// A node reconnects by itself however long the server is away, at intervals that grow to two
  /// seconds.
  @Test func `a node tries at growing intervals to reach a server that is away`() throws {
    stage.server.condition = .away
    stage.at(30) { [stage] in
      #expect(!stage.service.isServing)
      stage.server.condition = .healthy
    }
    stage.at(40) { [stage] in #expect(stage.service.isServing) }
    stage.run()
    try expectGrowingGaps()
  }

  @Test func `F8: a node that claims shards again is not shown as drained`() {
    let reporter = stage.reporter
    reporter.report(.drained)
    #expect(stage.board.remarks == ["\(FleetNote.drained)"])
    reporter.report(.distrusts)
    reporter.report(.trustsAgain)
    #expect(stage.board.remarks == ["\(FleetNote.drained)"])
    reporter.report(.claimed(3))
    #expect(stage.board.remarks == [])
  }

  @Test func `a refused join is reported once, and repeated at growing intervals`() throws {
    stage.server.condition = .refusing
    stage.at(30) { [stage] in
      #expect(!stage.service.isServing)
      let entries = stage.journal.items(after: 0).map(\.entry)
      #expect(entries.map(\.messageID) == [MessageKind.fleetUnreachable.id])
      #expect(entries.last?.message.hasSuffix(": a table is locked") == true)
      #expect(stage.board.remarks == ["waiting for PostgreSQL: a table is locked"])
      stage.server.condition = .healthy
    }
    stage.at(40) { [stage] in
      #expect(stage.service.isServing)
      #expect(stage.board.remarks.isEmpty)
    }
    stage.run()
    try expectGrowingGaps()
  }

  private func expectGrowingGaps() throws {
    let gaps = zip(stage.connectionTimes.dropFirst(), stage.connectionTimes).map { $0 - $1 }
    let first = try #require(gaps.first)
    #expect(gaps.allSatisfy { $0 >= first && $0 <= .seconds(2) })
    #expect(gaps.last == .seconds(2))
  }
}

extension CurrentService {
  fileprivate var isServing: Bool { (try? engine()) != nil }
}
