import CivilTime
import TestSupport
import Testing

@testable import Fleet

@Suite struct ShardBalancingTests {
  private static let (me, other, third) = (FleetStage.me, FleetStage.other, FleetStage.third)

  private func balancing(
    _ nodes: [FleetView.Node], _ owners: [Int64], isDraining: Bool = false
  ) -> ShardBalancing {
    ShardBalancing(
      view: FleetStage.view(at: 0, nodes, owners: owners), node: Self.me, isDraining: isDraining)
  }

  private func nodeView(
    _ node: Incarnation, isDraining: Bool = false, isFenced: Bool = false, isConnected: Bool = true
  ) -> FleetView.Node {
    FleetStage.nodeView(
      node, heartbeat: 0, isDraining: isDraining, isFenced: isFenced, isConnected: isConnected)
  }

  // MARK: - Claiming

  @Test func `a node claims its share of the shards without an owner`() throws {
    let owners: [Int64] = [0, 2, 0, 0, 0, 0, 0]
    let twoNodes = balancing([nodeView(Self.me), nodeView(Self.other)], owners)
    let claim = try #require(twoNodes.claim(having: 1))
    #expect(claim.limit == 3)
    #expect(Set(claim.shards) == [0, 2, 3, 4, 5, 6])
    #expect(twoNodes.claim(having: 4) == nil)
    #expect(balancing([nodeView(Self.me)], owners).claim(having: 0)?.limit == 7)
  }

  @Test func `F8: shares differ by one at most, wherever shards were before`() {
    let nodes = [nodeView(Self.me), nodeView(Self.other), nodeView(Self.third)]
    var owners = (0..<64).map { Int64($0 < 20 ? 1 : $0 < 42 ? 2 : 3) }
    for _ in 0..<8 {
      let view = FleetStage.view(at: 0, nodes, owners: owners)
      for node in nodes {
        let balancing = ShardBalancing(view: view, node: node.incarnation, isDraining: false)
        let ownTenures = Array(view.shards(of: node.incarnation))
        if let tenure = balancing.surplus(of: ownTenures) { owners[tenure.shard] = 0 }
      }
      let viewAfterRelease = FleetStage.view(at: 0, nodes, owners: owners)
      for node in nodes {
        let balancing = ShardBalancing(
          view: viewAfterRelease, node: node.incarnation, isDraining: false)
        guard
          let claim = balancing.claim(having: viewAfterRelease.shards(of: node.incarnation).count)
        else {
          continue
        }
        for shard in claim.shards.prefix(claim.limit) where owners[shard] == 0 {
          owners[shard] = node.incarnation.number
        }
      }
    }
    let counts = (1...3).map { number in owners.count { $0 == number } }
    #expect(counts.sorted() == [21, 21, 22], "\(counts)")
  }

  @Test func `a dead node has a share until it is evicted`() {
    let owners: [Int64] = [0, 0, 0, 0]
    let beforeEviction = balancing(
      [nodeView(Self.me), nodeView(Self.other, isConnected: false)], owners)
    #expect(beforeEviction.claim(having: 0)?.limit == 2)
    let afterEviction = balancing(
      [nodeView(Self.me), nodeView(Self.other, isFenced: true)], owners)
    #expect(afterEviction.claim(having: 0)?.limit == 4)
  }

  @Test func `a draining node claims nothing and has no share`() {
    let owners: [Int64] = [0, 0, 0, 0]
    let draining = balancing([nodeView(Self.me, isDraining: true)], owners, isDraining: true)
    #expect(draining.claim(having: 0) == nil)
    let besideDraining = balancing(
      [nodeView(Self.me), nodeView(Self.other, isDraining: true)], owners)
    #expect(besideDraining.claim(having: 0)?.limit == 4)
  }

  @Test func `shards of other nodes are not claimed`() {
    #expect(
      balancing([nodeView(Self.me), nodeView(Self.other)], [2, 2, 2, 2]).claim(having: 0) == nil)
  }

  @Test func `a node claims first the shards for which it ranks highest`() throws {
    let nodes = [nodeView(Self.me), nodeView(Self.other), nodeView(Self.third)]
    let claim = try #require(balancing(nodes, .init(repeating: 0, count: 30)).claim(having: 0))
    let incarnations = nodes.map(\.incarnation)
    let ranks = claim.shards.map { Rendezvous.rank(of: Self.me, for: $0, among: incarnations) }
    #expect(ranks == ranks.sorted())
    #expect(ranks.first == 0)
    #expect(ranks.last == 2)
  }

  @Test func `each shard ranks one node first, and each node is first about equally often`() {
    var random = SplitMix64(seed: 7)
    let nodes = (0..<5).map { _ in Incarnation(Int64.random(in: 1 ... .max, using: &random)) }
    var firstCounts: [Incarnation: Int] = [:]
    for shard in 0..<1_000 {
      let first = nodes.filter { Rendezvous.rank(of: $0, for: shard, among: nodes) == 0 }
      #expect(first.count == 1)
      for node in first { firstCounts[node, default: 0] += 1 }
    }
    #expect(firstCounts.count == 5)
    #expect(firstCounts.values.allSatisfy { (150...250).contains($0) }, "\(firstCounts)")
  }

  @Test func `when a node leaves, no shard moves between the other nodes`() {
    let nodes = (1...4).map { Incarnation($0) }
    for shard in 0..<100 {
      let first = nodes.first { Rendezvous.rank(of: $0, for: shard, among: nodes) == 0 }
      let remainingNodes = nodes.filter { $0 != Incarnation(4) }
      let next = remainingNodes.first {
        Rendezvous.rank(of: $0, for: shard, among: remainingNodes) == 0
      }
      #expect(first == next || first == Incarnation(4))
    }
  }

  // MARK: - Giving away

  private func tenures(_ shards: [Int]) -> [Tenure] { shards.map { Tenure(shard: $0, epoch: 0) } }

  @Test func `a node with more than its share gives a shard to a node with less`() {
    let nodes = [nodeView(Self.me), nodeView(Self.other)]
    let owners: [Int64] = [1, 1, 1, 2]
    #expect(balancing(nodes, owners).surplus(of: tenures([0, 1, 2])) != nil)
    #expect(balancing(nodes, [1, 1, 2, 2]).surplus(of: tenures([0, 1])) == nil)
  }

  @Test func `no shard is given away while another shard waits for an owner`() {
    let nodes = [nodeView(Self.me), nodeView(Self.other)]
    #expect(balancing(nodes, [1, 1, 1, 0]).surplus(of: tenures([0, 1, 2])) == nil)
  }

  @Test(arguments: [
    FleetStage.nodeView(other, heartbeat: 0, isDraining: true),
    FleetStage.nodeView(other, heartbeat: 0, isFenced: true),
    FleetStage.nodeView(other, heartbeat: 0, isConnected: false),
  ])
  func `a node that accepts no shards is given none`(other: FleetView.Node) {
    let owners: [Int64] = [1, 1, 1, 1]
    let draining = balancing(
      [nodeView(Self.me, isDraining: true), other], owners, isDraining: true)
    #expect(draining.surplus(of: tenures([0, 1, 2, 3])) == nil)
    #expect(
      balancing([nodeView(Self.me), other], owners).surplus(of: tenures([0, 1, 2, 3])) == nil)
  }

  @Test func `a draining node gives away its share too`() {
    let nodes = [nodeView(Self.me, isDraining: true), nodeView(Self.other)]
    #expect(balancing(nodes, [1, 2], isDraining: true).surplus(of: tenures([0])) != nil)
  }
}
