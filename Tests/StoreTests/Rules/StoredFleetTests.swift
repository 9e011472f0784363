import CivilTime
import Store
import Testing

@testable import Fleet

/// The nodes that need attention.
@Suite struct StoredFleetTests {
  private static let now = Instant(milliseconds: 1_772_409_600_000)

  /// A fleet of nodes 1, 2 and so on, seen by node 1.
  private func fleet(_ change: (inout [StoredFleet.Node]) -> Void) -> StoredFleet {
    var allNodes = ["north", "south", "west"].enumerated().map { index, name in
      StoredFleet.Node(
        incarnation: Int64(index + 1), name: name, version: "0.1.0", heartbeat: Self.now,
        skew: .zero, lease: .seconds(5))
    }
    change(&allNodes)
    return StoredFleet(now: Self.now, ownIncarnation: 1, nodes: allNodes, shards: [])
  }

  @Test func `F5: a node whose lease differs from the others' is listed`() {
    #expect(fleet { _ in }.differingLeases == [])
    #expect(fleet { $0[2].lease = .seconds(8) }.differingLeases == ["west"])
    // Either of the two leases may be wrong.
    let two = fleet { nodes in
      nodes.removeLast()
      nodes[0].lease = .seconds(8)
    }
    #expect(two.differingLeases == ["north", "south"])
  }

  @Test func `F6: another node is listed if its clock is wrong by 2 s or more`() {
    let fleet = fleet { nodes in
      nodes[0].skew = .seconds(3)
      nodes[1].skew = .milliseconds(-2_000)
      nodes[2].skew = .milliseconds(1_999)
    }
    #expect(fleet.skewedNodes == ["south"])
  }

  /// Reports use `StoredFleet.severeSkew`, and decisions use `Skew.severe`.
  @Test func `F6: reports and decisions call the same skew severe`() {
    #expect(StoredFleet.severeSkew == Skew.severe)
  }

  @Test func `F8: a name that two running nodes share is listed`() {
    #expect(fleet { _ in }.sharedNames == [])
    #expect(fleet { $0[2].name = "south" }.sharedNames == ["south"])
  }

  /// A restarted node has its predecessor's name and may have another lease; the predecessor does
  /// not count.
  @Test(arguments: [true, false])
  func `F6: a node that is gone or fenced needs no attention`(isFenced: Bool) {
    let fleet = fleet { nodes in
      nodes[2].name = "south"
      (nodes[2].skew, nodes[2].lease) = (.minutes(1), .seconds(8))
      (nodes[2].isFenced, nodes[2].isConnected) = (isFenced, isFenced)
    }
    #expect(fleet.differingLeases == [] && fleet.skewedNodes == [] && fleet.sharedNames == [])
  }

  @Test func `F1: a node that works alone needs no attention`() {
    let alone = fleet { nodes in
      nodes.removeLast(2)
      (nodes[0].skew, nodes[0].lease) = (nil, nil)
    }
    #expect(alone.differingLeases == [] && alone.skewedNodes == [] && alone.sharedNames == [])
  }
}
