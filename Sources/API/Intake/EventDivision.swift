/// Which events of a group go to which node, and what becomes of them together (rule F3).
struct EventDivision {
  struct Part {
    let peer: FleetPeer
    /// Which events, by their places in the group, in order.
    var places: [Int]
  }

  /// Of this node, or of nobody else.
  private(set) var own: [Int] = []
  private(set) var parts: [Part] = []
  private var noted: [EventAnswer.Result?]

  /// - Parameter peers: who else has the recipient of each event; nil for nobody.
  init(_ peers: some Collection<FleetPeer?>) {
    noted = Array(repeating: nil, count: peers.count)
    var indices: [FleetPeer: Int] = [:]
    for (place, peer) in peers.enumerated() {
      guard let peer else {
        own.append(place)
        continue
      }
      if let index = indices[peer] {
        parts[index].places.append(place)
      } else {
        indices[peer] = parts.count
        parts.append(Part(peer: peer, places: [place]))
      }
    }
  }

  /// Notes what became of some, in their order.
  mutating func note(_ results: [EventAnswer.Result], at places: [Int]) {
    for (place, result) in zip(places, results) { noted[place] = result }
  }

  /// Of every event, in the order of the group.
  var results: [EventAnswer.Result] { noted.map { $0 ?? .init(nil) } }
}
