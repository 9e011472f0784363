internal import Dispatch
internal import Synchronization

/// Resolves hosts and refuses addresses that a sink may not connect to.
///
/// Lookups run concurrently within the limits of a `LookupQueue`. Callers that need the same name
/// share one lookup.
final class CheckedLookup: Sendable {
  private let policy: AddressPolicy
  private let resolver: AddressResolver
  private let queue: Mutex<LookupQueue<CheckedContinuation<Finding, Never>>>
  private let timers = DispatchQueue(label: "lookup deadlines")
  /// The maximum number of addresses stored for a name. It bounds memory, because a name server may
  /// return any number.
  private static let addressesMax = 32

  /// - Parameter freshness: how long a result is used without another lookup, so that a hundred
  ///   concurrent callers cause one lookup.
  init(policy: AddressPolicy, resolver: AddressResolver, freshness: Duration) {
    self.policy = policy
    self.resolver = resolver
    queue = Mutex(LookupQueue(freshness: freshness))
  }

  /// - Throws: `unreachable`, even if only one of several addresses is refused. Otherwise the owner
  ///   of the name could choose that a forbidden address is tried first.
  func addresses(
    of host: String, before deadline: ContinuousClock.Instant
  ) async throws(HTTPTransferError) -> [NetworkAddress] {
    if let address = NetworkAddress(host) { return try check([address]) }
    return try check(await finding(host, before: deadline).get())
  }

  private func finding(
    _ host: String, before deadline: ContinuousClock.Instant
  ) async -> Finding {
    await withCheckedContinuation { waiter in
      switch queue.withLock({ $0.enqueue(host, waiter, now: .now) }) {
      case .known(let finding):
        waiter.resume(returning: finding)
      case .begin(let ticket):
        begin(host)
        scheduleEnd(ticket, at: deadline)
      case .wait(let ticket):
        scheduleEnd(ticket, at: deadline)
      }
    }
  }

  /// Ends a caller's wait at its deadline.
  private func scheduleEnd(
    _ ticket: LookupQueue<CheckedContinuation<Finding, Never>>.Ticket,
    at deadline: ContinuousClock.Instant
  ) {
    let remaining = (deadline - .now) / .seconds(1)
    timers.asyncAfter(deadline: .now() + remaining) { [self] in
      let waiter = queue.withLock { $0.remove(ticket) }
      waiter?.resume(returning: .failure(ticket.hasBegun ? .nameIsSlow : .lookupsAreBehind))
    }
  }

  /// Looks up a name and then, one by one, the names that wait for capacity.
  private func begin(_ host: String) {
    // A serial queue has its own thread; a concurrent queue would block the threads that run tasks.
    DispatchQueue(label: "lookup").async { [self] in
      var next: String? = host
      while let host = next { next = lookUp(host) }
    }
  }

  /// - Returns: the host to look up next.
  private func lookUp(_ host: String) -> String? {
    let finding = Finding { () throws(HTTPTransferError) in
      Array(try check(resolver.addresses(host)).prefix(Self.addressesMax))
    }
    let (waiters, next) = queue.withLock { $0.finish(host, finding, now: .now) }
    for waiter in waiters { waiter.resume(returning: finding) }
    return next
  }

  private func check(_ addresses: [NetworkAddress]) throws(HTTPTransferError) -> [NetworkAddress] {
    guard !addresses.isEmpty else { throw .unreachable("its name has no address") }
    if let refused = addresses.first(where: { !policy.permits($0) }) {
      throw .unreachable(
        "its address \(refused) is not public; to permit it, add its network to "
          + "\"allow\" of the sink")
    }
    return addresses
  }
}
