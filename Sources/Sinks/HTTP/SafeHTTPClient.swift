package import CivilTime
internal import HTTPTransfers
internal import HTTPTypes
package import Outbox
internal import Synchronization

/// What sinks send by: a client that follows no redirect, connects only where it may, keeps every
/// deadline and reads no more than the beginning of an answer.
///
/// It speaks HTTP/1.1, with as many connections as requests at once, and keeps them for the next
/// request. It has a thread of its own, which ends with it.
package final class SafeHTTPClient: Sendable {
  private let loop: TransferLoop
  private let patience: Duration
  private let lookup: CheckedLookup
  /// The address that there may be connections to, by host.
  private let addresses = Mutex<[String: NetworkAddress]>([:])
  /// Of how many hosts that is remembered.
  private static let hostsMax = 64

  /// Where tasks should run that send much.
  package var executor: any TaskExecutor { loop }

  /// - Parameters:
  ///   - deadline: how long a request may take, from looking up the name to the end of the answer.
  ///   - concurrency: how many requests are under way at once.
  ///   - freshness: for how long what a name stands for is not asked again.
  package init(
    _ settings: HTTPSettings, deadline: TimeSpan, concurrency: Int,
    resolver: AddressResolver = .system, freshness: TimeSpan = .seconds(1)
  ) throws(SinkOutage) {
    patience = .milliseconds(deadline.milliseconds)
    lookup = CheckedLookup(
      policy: settings.policy, resolver: resolver,
      freshness: .milliseconds(freshness.milliseconds))
    var transfers = TransferSettings()
    transfers.connectionsMax = concurrency
    transfers.authorities = try settings.readAuthorities()
    do throws(TransferFault) {
      loop = try TransferLoop(transfers)
    } catch {
      throw SinkOutage(error.description)
    }
  }

  /// Sends a request and waits for the beginning of the answer.
  ///
  /// Whatever the status, a head that came in time is an answer. A request that meets a connection
  /// which the other side is just closing is sent once more, so it must bear being sent twice.
  package func send(
    _ request: HTTPRequest, to url: HTTPURL
  ) async throws(HTTPFailure) -> HTTPReply {
    let start = ContinuousClock.now
    let deadline = start + patience
    let found = try await lookup.addresses(of: url.host, before: deadline)
    var transfer = url.transfer(of: request)
    // Of several addresses, a second one gets its chance before the deadline.
    transfer.connectPatience = min(.seconds(10), patience / 2)
    var failure = HTTPFailure.nameIsSlow
    for address in inOrder(found, of: url.host) {
      let left = deadline - ContinuousClock.now
      guard left > .zero else { break }
      transfer.patience = left
      transfer.address = address.bytes
      let reply = await loop.reply(to: transfer, bodyMax: HTTPReply.byteCountMax)
      if reply.head.isWhole {
        remember(address, of: url.host)
        return HTTPReply(reply, from: url, duration: TimeSpan(ContinuousClock.now - start))
      }
      failure = HTTPFailure(reply)
      guard case .unreachable = failure else { throw failure }
    }
    throw failure
  }

  /// The one that there are connections to first.
  private func inOrder(_ addresses: [NetworkAddress], of host: String) -> [NetworkAddress] {
    guard addresses.count > 1, let current = self.addresses.withLock({ $0[host] }),
      let index = addresses.firstIndex(of: current)
    else { return addresses }
    return Array(addresses[index...] + addresses[..<index])
  }

  private func remember(_ address: NetworkAddress, of host: String) {
    addresses.withLock { addresses in
      // Where people choose the host, there is no end to them.
      if addresses.count >= Self.hostsMax { addresses.removeAll() }
      addresses[host] = address
    }
  }
}

extension HTTPURL {
  fileprivate func transfer(of content: HTTPRequest) -> TransferRequest {
    var transfer = TransferRequest(method.rawValue, text)
    transfer.fields = content.fields.map { ($0.name.rawName, $0.value) }
    if !content.body.isEmpty || method != .get { transfer.body = content.body }
    return transfer
  }
}

/// Why there is no answer to a request; the reason does not name the host.
package enum HTTPFailure: Error, Hashable, Sendable {
  /// Nothing was handed over, and it would not be another time.
  case unreachable(String)
  /// It may have arrived.
  case unanswered(String)

  package var reason: String {
    switch self {
    case .unreachable(let reason), .unanswered(let reason): reason
    }
  }

  /// The name's servers have taken all the time there was.
  static let nameIsSlow = unreachable("resolving its name took too long")
  /// Other names have taken the time, so that this says nothing of the host.
  static let lookupsAreBehind = unreachable("too many other names were being resolved")
}

extension HTTPFailure {
  /// - Parameter reply: has no whole head.
  init(_ reply: CollectedReply) {
    if let fault = reply.head.fault {
      self = .unanswered(Self.reason(fault))
    } else {
      let reason = "\(reply.outcome)"
      self = reply.outcome.wasSent ? .unanswered(reason) : .unreachable(reason)
    }
  }

  private static func reason(_ fault: ReplyFault) -> String {
    switch fault {
    case .status: "\(TransferOutcome.notHTTP): \(fault)"
    case .noStatus, .longHead: "\(TransferOutcome.notHTTP)"
    }
  }
}
