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
  /// Whether another host resolves names and connects to them.
  private let hasProxy: Bool

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
    transfers.proxy = settings.proxy?.text
    hasProxy = settings.proxy != nil
    // What an answer contains is looked at, and shown.
    transfers.wantsPlainBodies = true
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
    let addresses = try await addresses(of: url, before: deadline)
    let left = deadline - ContinuousClock.now
    guard left > .zero else { throw .nameIsSlow }
    var transfer = url.transfer(of: request)
    transfer.addresses = addresses?.map(\.bytes)
    transfer.patience = left
    // Of two addresses of a family the second gets half of it, of two families each its own.
    transfer.connectPatience = left
    let reply = await loop.reply(to: transfer, bodyMax: HTTPReply.byteCountMax)
    guard reply.head.isWhole else { throw HTTPFailure(reply) }
    return HTTPReply(reply, from: url, duration: TimeSpan(ContinuousClock.now - start))
  }

  /// Where it may connect to for a URL; nil where a proxy connects.
  private func addresses(
    of url: HTTPURL, before deadline: ContinuousClock.Instant
  ) async throws(HTTPFailure) -> [NetworkAddress]? {
    // A name means what it means to the proxy; an address is the same everywhere.
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
