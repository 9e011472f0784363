import API

/// The names of the nodes that need attention, as the replying node reports them.
struct NodeTroubles {
  let differingLeases: [String]
  /// The nodes whose clocks are wrong, except the replying node.
  let skewedNodes: [String]
  let sharedNames: [String]

  init(_ troubles: Answer<NodeTroublesPayload>) throws(CommandError) {
    differingLeases = try troubles.differingLeases
    skewedNodes = try troubles.skewedNodes
    sharedNames = try troubles.sharedNames
  }

  var findings: [Finding] {
    [
      remark(
        differingLeases, "the lease differs",
        "a node with a longer lease may send again what others have taken over",
        advice: "set the same fleet: {lease: ...} for all nodes, and restart the changed ones"),
      remark(
        skewedNodes, "the clock is wrong by 2 s or more",
        "the node takes no shards and gives its own away",
        advice: "check the time synchronization of its machine and of PostgreSQL's"),
      remark(
        sharedNames, "several nodes have this name", "a drain by that name applies to all of them",
        advice: "give each node its own name, by fleet: {name: ...}"),
    ].compactMap { $0 }
  }

  private func remark(
    _ names: [String], _ state: String, _ details: String, advice: String
  ) -> Finding? {
    guard !names.isEmpty else { return nil }
    return Finding(
      weight: .remark, summary: "\(names.joined(separator: ", ")): \(state)", details: [details],
      advice: advice)
  }
}
