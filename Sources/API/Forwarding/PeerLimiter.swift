import Synchronization

/// Room for requests to each node, and an eye on the nodes that somebody waits for: one that hangs
/// answers nothing, and is waited for until the others take over from it.
final class PeerLimiter: Sendable {
  private struct State {
    /// What gives up each request without an answer, by number.
    var open: [FleetPeer: [Int: @Sendable () -> Void]] = [:]
    var last = 0
    var isLooking = false
  }

  /// How often it is looked whether they are still members.
  private static let look = Duration.milliseconds(250)

  private let atOnce: Int
  private let directory: any FleetDirectory
  private let state = Mutex(State())

  init(atOnce: Int, _ directory: any FleetDirectory) {
    (self.atOnce, self.directory) = (atOnce, directory)
  }

  /// Kept for as long as the request has no answer.
  final class Room: Sendable {
    private let peer: FleetPeer
    private let number: Int
    private let rooms: PeerLimiter

    fileprivate init(_ peer: FleetPeer, _ number: Int, _ rooms: PeerLimiter) {
      (self.peer, self.number, self.rooms) = (peer, number, rooms)
    }

    deinit { rooms.leave(peer, number) }

    /// Has the request given up once its node is no member any more.
    func whenGone(_ giveUp: @escaping @Sendable () -> Void) {
      rooms.state.withLock { $0.open[peer]?[number] = giveUp }
    }
  }

  /// Nil if there is none.
  func enter(_ peer: FleetPeer) -> Room? {
    let (number, isFirst): (Int?, Bool) = state.withLock { state in
      guard state.open[peer, default: [:]].count < atOnce else { return (nil, false) }
      defer { state.isLooking = true }
      state.last += 1
      state.open[peer, default: [:]][state.last] = {}
      return (state.last, !state.isLooking)
    }
    if isFirst { beginToLook() }
    return number.map { Room(peer, $0, self) }
  }

  private func leave(_ peer: FleetPeer, _ number: Int) {
    state.withLock { state in
      state.open[peer]?[number] = nil
      if state.open[peer]?.isEmpty ?? false { state.open[peer] = nil }
    }
  }

  private func beginToLook() {
    Task {
      repeat { try? await Task.sleep(for: Self.look) } while lookAround()
    }
  }

  /// - Returns: whether anybody waits still.
  private func lookAround() -> Bool {
    let peers = state.withLock { state in
      state.isLooking = !state.open.isEmpty
      return Array(state.open.keys)
    }
    for peer in peers where !directory.isMember(peer) {
      let requests = state.withLock { Array(($0.open[peer] ?? [:]).values) }
      for giveUp in requests { giveUp() }
    }
    return !peers.isEmpty
  }
}
