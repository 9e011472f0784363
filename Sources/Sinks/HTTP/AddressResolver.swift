internal import Dispatch
internal import Glibc
internal import Synchronization

/// Finds the addresses that a host's name stands for.
package struct AddressResolver: Sendable {
  /// Blocks the thread for as long as it takes.
  package let addresses: @Sendable (_ host: String) throws(HTTPFailure) -> [NetworkAddress]

  package init(
    _ addresses: @escaping @Sendable (_ host: String) throws(HTTPFailure) -> [NetworkAddress]
  ) {
    self.addresses = addresses
  }

  /// The system's: its hosts file, its name servers.
  package static let system = AddressResolver { host throws(HTTPFailure) in
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else {
      throw .unreachable("its name cannot be resolved: \(String(cString: gai_strerror(status)))")
    }
    defer { freeaddrinfo(list) }
    return sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { address(of: $0) }
  }

  private static func address(of entry: UnsafeMutablePointer<addrinfo>?) -> NetworkAddress? {
    guard let entry = entry?.pointee, let socket = UnsafeRawPointer(entry.ai_addr) else {
      return nil
    }
    switch entry.ai_family {
    case AF_INET:
      let address = socket.loadUnaligned(as: sockaddr_in.self).sin_addr
      return withUnsafeBytes(of: address) { NetworkAddress(.four, bytes: $0) }
    case AF_INET6:
      let address = socket.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return withUnsafeBytes(of: address) { NetworkAddress(.six, bytes: $0) }
    default:
      return nil
    }
  }
}

/// Finds the addresses of hosts and refuses those that a sink may not connect to.
///
/// An attempt uses what was found within the last second, so that a hundred at once ask once.
final class CheckedLookup: Sendable {
  private typealias Turn = Result<[NetworkAddress], HTTPFailure>

  private struct Found {
    let addresses: Turn
    let at: ContinuousClock.Instant
  }

  private let policy: AddressPolicy
  private let resolver: AddressResolver
  private let freshness: Duration
  private let found = Mutex<[String: Found]>([:])
  private static let hostsMax = 1_024
  /// One after the other: whoever waits for its turn mostly finds that it was answered meanwhile.
  private let queue = DispatchQueue(label: "lookup")
  private let timers = DispatchQueue(label: "lookup deadlines")

  init(policy: AddressPolicy, resolver: AddressResolver, freshness: Duration) {
    self.policy = policy
    self.resolver = resolver
    self.freshness = freshness
  }

  /// - Throws: `unreachable`, also if any of several addresses is refused: who can make a name mean
  ///   a forbidden place can choose which one is tried first.
  func addresses(
    of host: String, before deadline: ContinuousClock.Instant
  ) async throws(HTTPFailure) -> [NetworkAddress] {
    if let address = NetworkAddress(host) { return try check([address]) }
    if let fresh = fresh(host) { return try fresh.get() }
    let turn = await withCheckedContinuation { (continuation: CheckedContinuation<Turn, Never>) in
      let waiter = Waiter(continuation)
      queue.async { [self] in
        let addresses = fresh(host) ?? lookUp(host)
        waiter.take()?.resume(returning: addresses)
      }
      timers.asyncAfter(deadline: .now() + (deadline - ContinuousClock.now).inSeconds) {
        waiter.take()?.resume(returning: .failure(.unreachable("resolving its name took too long")))
      }
    }
    return try turn.get()
  }

  private func fresh(_ host: String) -> Turn? {
    let now = ContinuousClock.now
    return found.withLock { found in
      guard let known = found[host], now - known.at < freshness else { return nil }
      return known.addresses
    }
  }

  private func lookUp(_ host: String) -> Turn {
    let addresses = Result { () throws(HTTPFailure) in try check(resolver.addresses(host)) }
    found.withLock { found in
      if found.count >= Self.hostsMax { found.removeAll() }
      found[host] = Found(addresses: addresses, at: ContinuousClock.now)
    }
    return addresses
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

extension Duration {
  fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

/// Somebody who waits for the first of two.
private final class Waiter<Value: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Value, Never>?>

  init(_ continuation: CheckedContinuation<Value, Never>) {
    self.continuation = Mutex(continuation)
  }

  /// What to answer by; nil for all but the first who asks.
  func take() -> CheckedContinuation<Value, Never>? {
    continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
  }
}
