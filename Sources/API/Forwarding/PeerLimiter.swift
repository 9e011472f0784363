import Synchronization

/// Limits the unanswered requests to each node, and watches the nodes with such requests. When a
/// node ceases to be a member, the requests to it are cancelled.
final class PeerLimiter: Sendable {
  private struct State {
    /// Closures that cancel the unanswered requests, by node and number.
    var cancellations: [FleetPeer: [Int: @Sendable () -> Void]] = [:]
    /// The number of the last permit of any node.
    var lastNumber = 0
    /// Whether a task checks the membership of nodes with unanswered requests.
    var isWatching = false
  }

  /// The interval between checks of membership.
  private static let checkInterval = Duration.milliseconds(250)

  private let requestsMax: Int
  private let directory: any FleetDirectory
  private let state = Mutex(State())

  init(requestsMax: Int, _ directory: any FleetDirectory) {
    (self.requestsMax, self.directory) = (requestsMax, directory)
  }

  /// The right to have one unanswered request, held until the answer.
  final class Permit: Sendable {
    private let peer: FleetPeer
    private let number: Int
    private let limiter: PeerLimiter

    fileprivate init(_ peer: FleetPeer, _ number: Int, _ limiter: PeerLimiter) {
      (self.peer, self.number, self.limiter) = (peer, number, limiter)
    }

    deinit { limiter.release(peer, number) }

    /// Sets the closure that cancels the request. The limiter calls the closure when the node
    /// ceases to be a member.
    func onDeparture(_ cancel: @escaping @Sendable () -> Void) {
      limiter.state.withLock { $0.cancellations[peer]?[number] = cancel }
    }
  }

  /// Returns a permit for a request to a node; nil at the limit.
  func acquire(_ peer: FleetPeer) -> Permit? {
    let (number, isFirst): (Int?, Bool) = state.withLock { state in
      guard state.cancellations[peer, default: [:]].count < requestsMax else { return (nil, false) }
      defer { state.isWatching = true }
      state.lastNumber += 1
      state.cancellations[peer, default: [:]][state.lastNumber] = {}
      return (state.lastNumber, !state.isWatching)
    }
    if isFirst { beginWatching() }
    return number.map { Permit(peer, $0, self) }
  }

  private func release(_ peer: FleetPeer, _ number: Int) {
    state.withLock { state in
      state.cancellations[peer]?[number] = nil
      if state.cancellations[peer]?.isEmpty ?? false { state.cancellations[peer] = nil }
    }
  }

  private func beginWatching() {
    Task {
      repeat { try? await Task.sleep(for: Self.checkInterval) } while cancelLostRequests()
    }
  }

  /// Cancels the requests to nodes that are no longer members.
  ///
  /// - Returns: whether any request was unanswered.
  private func cancelLostRequests() -> Bool {
    let peers = state.withLock { state in
      state.isWatching = !state.cancellations.isEmpty
      return Array(state.cancellations.keys)
    }
    for peer in peers where !directory.isMember(peer) {
      let cancellations = state.withLock { Array(($0.cancellations[peer] ?? [:]).values) }
      for cancel in cancellations { cancel() }
    }
    return !peers.isEmpty
  }
}
