import CivilTime
import Store
import Testing

/// Rule F8: which node is meant, and whether anybody would take what it has.
@Suite struct DrainDecisionTests {
  private static func node(
    _ number: Int64, _ name: String, isDraining: Bool = false, isConnected: Bool = true
  ) -> StoredFleet.Node {
    StoredFleet.Node(
      incarnation: number, name: name, version: "0.1.0", heartbeat: Fixtures.noon,
      isDraining: isDraining, isConnected: isConnected)
  }

  private func fleet(_ nodes: StoredFleet.Node...) -> StoredFleet {
    StoredFleet(now: Fixtures.noon, own: 1, nodes: nodes, shards: [])
  }

  @Test func theNumberOfAStartComesBeforeAName() {
    let (north, odd) = (Self.node(0xab, "north"), Self.node(0xcd, "ab"))
    #expect(fleet(north, odd).drain("ab", true) == .write(north))
    #expect(fleet(north, odd).drain("north", true) == .write(north))
    #expect(fleet(north, odd).drain("cd", true) == .write(odd))
    #expect(fleet(north, odd).drain("none", true) == .unknown)
  }

  @Test func aNameOfSeveralIsNotGuessedAt() {
    let (one, other) = (Self.node(1, "node"), Self.node(2, "node"))
    #expect(fleet(one, other).drain("node", true) == .ambiguous([one, other]))
    #expect(fleet(one, other).drain("2", true) == .write(other))
  }

  @Test func somebodyHasToBeThereWhoTakesIt() {
    let north = Self.node(1, "north")
    #expect(fleet(north).drain("north", true) == .last(north))
    #expect(fleet(north, Self.node(2, "b", isDraining: true)).drain("1", true) == .last(north))
    #expect(fleet(north, Self.node(2, "b", isConnected: false)).drain("1", true) == .last(north))
    // To keep what it has nobody else is needed.
    #expect(fleet(north).drain("north", false) == .write(north))
  }

  @Test func whoIsFencedIsNobody() {
    var gone = Self.node(1, "north")
    gone.isFenced = true
    let south = Self.node(2, "south")
    #expect(fleet(gone, south).drain("north", true) == .unknown)
    #expect(fleet(gone, south).drain("south", true) == .last(south))
  }
}
