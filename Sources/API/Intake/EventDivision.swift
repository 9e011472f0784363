/// Splits a group of events by owner node, and merges the results in order (rule F3).
struct EventDivision {
  /// The events whose recipients one other node owns.
  struct Part {
    let peer: FleetPeer
    /// The ascending indices of the events in the group.
    var indices: [Int]
  }

  /// Indices of the events handled here: this node owns them, or the owner is unknown.
  private(set) var ownIndices: [Int] = []
  /// The events of each other node.
  private(set) var parts: [Part] = []
  /// The results of the events in the order of the group; each is nil until it is stored.
  private var resultsByIndex: [EventAnswer.Result?]

  /// - Parameter peers: the other node that owns each event's recipient; nil for an event to handle
  ///   here.
  init(_ peers: some Collection<FleetPeer?>) {
    resultsByIndex = Array(repeating: nil, count: peers.count)
    var partIndices: [FleetPeer: Int] = [:]
    for (index, peer) in peers.enumerated() {
      guard let peer else {
        ownIndices.append(index)
        continue
      }
      if let partIndex = partIndices[peer] {
        parts[partIndex].indices.append(index)
      } else {
        partIndices[peer] = parts.count
        parts.append(Part(peer: peer, indices: [index]))
      }
    }
  }

  /// Stores the results of the events with these indices.
  mutating func store(_ results: [EventAnswer.Result], at indices: [Int]) {
    for (index, result) in zip(indices, results) { resultsByIndex[index] = result }
  }

  /// The results of all events, in the order of the group.
  var results: [EventAnswer.Result] { resultsByIndex.map { $0 ?? .init(nil) } }
}
