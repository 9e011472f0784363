import CivilTime
import Store
import Testing

/// Rule F8: which node a drain selects, and whether another node could take that node's shards.
@Suite struct DrainDecisionTests {
  private static func node(
    _ number: Int64, _ name: String, isDraining: Bool = false, isConnected: Bool = true,
    skew: TimeSpan? = nil
  ) -> StoredFleet.Node {
    StoredFleet.Node(
      incarnation: number, name: name, version: "0.1.0", heartbeat: Fixtures.noon,
      isDraining: isDraining, isConnected: isConnected, skew: skew)
  }

  private func fleet(_ nodes: StoredFleet.Node..., drained: [String] = []) -> StoredFleet {
    StoredFleet(now: Fixtures.noon, ownIncarnation: 1, nodes: nodes, shards: [], drained: drained)
  }

  @Test func `an incarnation's number takes precedence over a name`() {
    let (north, odd) = (Self.node(0xab, "north"), Self.node(0xcd, "ab"))
    #expect(fleet(north, odd).drain("ab", true) == .write("north", north))
    #expect(fleet(north, odd).drain("north", true) == .write("north", north))
    #expect(fleet(north, odd).drain("cd", true) == .write("ab", odd))
    #expect(fleet(north, odd).drain("none", true) == .unknown)
  }

  @Test
  func `a drain by a name that several nodes share, or by the number of one of them, drains none`()
  {
    let (one, other) = (Self.node(1, "node"), Self.node(2, "node"))
    let third = Self.node(3, "third")
    #expect(fleet(one, other, third).drain("node", true) == .ambiguous([one, other]))
    #expect(fleet(one, other, third).drain("2", true) == .ambiguous([one, other]))
    #expect(fleet(one, other, third).drain("2", false) == .write("node", one))
    // A node that has died and started again counts as one.
    let gone = Self.node(1, "node", isConnected: false)
    #expect(fleet(gone, other, third).drain("node", true) == .write("node", other))
    #expect(fleet(gone, third).drain("node", true) == .write("node", gone))
  }

  @Test
  func `an unknown node is not drained, but a drain that was saved under its name can be undone`() {
    let north = Self.node(1, "north")
    #expect(fleet(north).drain("south", true) == .unknown)
    #expect(fleet(north).drain("south", false) == .unknown)
    #expect(fleet(north, drained: ["south"]).drain("south", false) == .write("south", nil))
    #expect(fleet(north, drained: ["south"]).drain("south", true) == .unknown)
  }

  @Test func `a drain needs another node that could take the shards`() {
    let north = Self.node(1, "north")
    #expect(fleet(north).drain("north", true) == .last(north))
    #expect(fleet(north, Self.node(2, "b", isDraining: true)).drain("1", true) == .last(north))
    #expect(fleet(north, Self.node(2, "b", isConnected: false)).drain("1", true) == .last(north))
    // Undoing a drain needs no other node.
    #expect(fleet(north).drain("north", false) == .write("north", north))
  }

  @Test(arguments: [TimeSpan.seconds(2), .seconds(-2)])
  func `F8: a node whose clock is wrong cannot take the shards of a drained one`(skew: TimeSpan) {
    let (north, south) = (Self.node(1, "north"), Self.node(2, "south", skew: skew))
    #expect(fleet(north, south).drain("north", true) == .last(north))
    #expect(fleet(north, south).drain("south", true) == .write("south", south))
    let east = Self.node(3, "east", skew: .milliseconds(1_999))
    #expect(fleet(north, south, east).drain("north", true) == .write("north", north))
  }

  @Test func `a fenced node counts as gone`() {
    var gone = Self.node(1, "north")
    gone.isFenced = true
    let south = Self.node(2, "south")
    #expect(fleet(gone, south).drain("north", true) == .unknown)
    #expect(fleet(gone, south).drain("south", true) == .last(south))
  }
}
