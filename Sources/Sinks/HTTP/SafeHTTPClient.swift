package import CivilTime
internal import HTTPTransfers
internal import HTTPTypes
package import Outbox
internal import Synchronization

/// The HTTP client of sinks. The client follows no redirects, connects only to allowed addresses,
/// keeps to its deadline, and reads only the beginning of a body.
///
/// Each concurrent request has a separate HTTP/1.1 connection, which is then kept for reuse. The
/// client has a separate thread, which ends when the client is released.
package final class SafeHTTPClient: Sendable {
  private let loop: TransferLoop
  /// The time limit of a request, from the name lookup to the end of the reply.
  private let timeLimit: Duration
  private let lookup: CheckedLookup
  /// Whether a proxy resolves names and connects to them.
  private let hasProxy: Bool

  /// The executor for tasks that send many requests.
  package var executor: any TaskExecutor { loop }

  /// - Parameters:
  ///   - deadline: the time limit of a request, from the name lookup to the end of the reply.
  ///   - concurrency: the maximum number of concurrent requests.
  ///   - freshness: how long the addresses of a name are used without another lookup.
  package init(
    _ settings: HTTPSettings, deadline: TimeSpan, concurrency: Int,
    resolver: AddressResolver = .system, freshness: TimeSpan = .seconds(1)
  ) throws(SinkOutage) {
    timeLimit = .milliseconds(deadline.milliseconds)
    lookup = CheckedLookup(
      policy: settings.policy, resolver: resolver,
      freshness: .milliseconds(freshness.milliseconds))
    var transfers = TransferSettings()
    transfers.connectionsMax = concurrency
    transfers.authorities = try settings.readAuthorities()
    transfers.proxy = settings.proxy?.proxyText
    hasProxy = settings.proxy != nil
    // Sinks evaluate the body and operators see it, so the body must not be compressed.
    transfers.requestsPlainBodies = true
    do throws(TransferError) {
      loop = try TransferLoop(transfers)
    } catch {
      throw SinkOutage(error.description)
    }
  }

  /// Sends a request and waits for the beginning of the reply.
  ///
  /// Any complete head that arrives in time is a reply, whatever its status. A request is sent
  /// again if the remote was closing the connection, so every request must be safe to send twice.
  package func send(
    _ request: HTTPRequest, to url: HTTPURL
  ) async throws(HTTPTransferError) -> HTTPReply {
    let start = ContinuousClock.now
    let deadline = start + timeLimit
    let addresses = try await addresses(of: url, before: deadline)
    let remaining = deadline - ContinuousClock.now
    guard remaining > .zero else { throw .nameIsSlow }
    var transfer = url.transfer(of: request)
    transfer.addresses = addresses?.map(\.bytes)
    transfer.timeout = remaining
    // libcurl divides this time among the IPv4 addresses, and the same time among the IPv6
    // addresses.
    transfer.connectTimeout = remaining
    let reply = await loop.reply(to: transfer, bodyMax: HTTPReply.byteCountMax)
    guard reply.head.isComplete else { throw HTTPTransferError(reply) }
    return HTTPReply(reply, from: url, duration: TimeSpan(ContinuousClock.now - start))
  }

  /// Returns the allowed addresses of a URL's host; nil if a proxy connects.
  private func addresses(
    of url: HTTPURL, before deadline: ContinuousClock.Instant
  ) async throws(HTTPTransferError) -> [NetworkAddress]? {
    // The proxy resolves a name, so only a URL with an address can be checked here.
    if hasProxy, NetworkAddress(url.host) == nil { return nil }
    let addresses = try await lookup.addresses(of: url.host, before: deadline)
    return hasProxy ? nil : addresses
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

/// The reason why a request has no reply; it does not name the host.
package enum HTTPTransferError: Error, Hashable, Sendable {
  /// The request was not sent. Unless the error is `lookupsAreBehind`, another request to the host
  /// would probably fail in the same way.
  case unreachable(String)
  /// The request may have arrived.
  case unanswered(String)

  package var reason: String {
    switch self {
    case .unreachable(let reason), .unanswered(let reason): reason
    }
  }

  /// The name servers used up the time limit.
  static let nameIsSlow = unreachable("resolving its name took too long")
  /// Lookups of other names used up the time limit, so the state of this host is unknown.
  static let lookupsAreBehind = unreachable("too many other names were being resolved")
}

extension HTTPTransferError {
  /// - Parameter reply: a reply whose head is incomplete.
  init(_ reply: CollectedReply) {
    if let fault = reply.head.fault {
      self = .unanswered(Self.reason(fault))
    } else {
      let reason = "\(reply.outcome)"
      self = reply.outcome.wasSent ? .unanswered(reason) : .unreachable(reason)
    }
  }

  private static func reason(_ fault: ReplyError) -> String {
    switch fault {
    case .status: "\(TransferOutcome.notHTTP): \(fault)"
    case .noStatus, .longHead: "\(TransferOutcome.notHTTP)"
    }
  }
}
