internal import Dispatch
internal import Synchronization

/// Finds the addresses of hosts and refuses those that a sink may not connect to.
///
/// Names are looked up side by side, as far as a `LookupQueue` lets them; who asks for one that is
/// being looked up shares what is found.
final class CheckedLookup: Sendable {
  private let policy: AddressPolicy
  private let resolver: AddressResolver
  private let queue: Mutex<LookupQueue<CheckedContinuation<Finding, Never>>>
  private let timers = DispatchQueue(label: "lookup deadlines")
  /// How many are kept of a name: who gives it any number of them takes no more memory.
  private static let addressesMax = 32

  /// - Parameter freshness: for how long what was found is used without a doubt, so that a hundred
  ///   at once ask once.
  init(policy: AddressPolicy, resolver: AddressResolver, freshness: Duration) {
    self.policy = policy
    self.resolver = resolver
    queue = Mutex(LookupQueue(freshness: freshness))
  }

  /// - Throws: `unreachable`, also if any of several addresses is refused: who can make a name mean
  ///   a forbidden place can choose which one is tried first.
  func addresses(
    of host: String, before deadline: ContinuousClock.Instant
  ) async throws(HTTPFailure) -> [NetworkAddress] {
    if let address = NetworkAddress(host) { return try check([address]) }
    return try check(await finding(host, before: deadline).get())
  }

  private func finding(
    _ host: String, before deadline: ContinuousClock.Instant
  ) async -> Finding {
    await withCheckedContinuation { waiter in
      switch queue.withLock({ $0.ask(host, waiter, now: .now) }) {
      case .known(let finding):
        waiter.resume(returning: finding)
      case .begin(let ticket):
        begin(host)
        giveUp(ticket, at: deadline)
      case .wait(let ticket):
        giveUp(ticket, at: deadline)
      }
    }
  }

  private func giveUp(
    _ ticket: LookupQueue<CheckedContinuation<Finding, Never>>.Ticket,
    at deadline: ContinuousClock.Instant
  ) {
    let left = (deadline - .now) / .seconds(1)
    timers.asyncAfter(deadline: .now() + left) { [self] in
      let waiter = queue.withLock { $0.leave(ticket) }
      waiter?.resume(returning: .failure(ticket.isUnderWay ? .nameIsSlow : .lookupsAreBehind))
    }
  }

  /// Looks up a name, and then what waits for its room.
  private func begin(_ host: String) {
    // A serial queue has a thread of its own; a concurrent one would have those that run tasks.
    DispatchQueue(label: "lookup").async { [self] in
      var next: String? = host
      while let host = next { next = lookUp(host) }
    }
  }

  /// - Returns: the host whose name is to be looked up now.
  private func lookUp(_ host: String) -> String? {
    let finding = Finding { () throws(HTTPFailure) in
      Array(try check(resolver.addresses(host)).prefix(Self.addressesMax))
    }
    let (waiters, next) = queue.withLock { $0.finish(host, finding, now: .now) }
    for waiter in waiters { waiter.resume(returning: finding) }
    return next
  }

  private func check(_ addresses: [NetworkAddress]) throws(HTTPFailure) -> [NetworkAddress] {
    guard !addresses.isEmpty else { throw .unreachable("its name stands for no address") }
    if let refused = addresses.first(where: { !policy.permits($0) }) {
      throw .unreachable(
        "it is at \(refused), which is not a public address; if that is meant, add its network to "
          + "\"allow\" of the sink")
    }
    return addresses
  }
}
