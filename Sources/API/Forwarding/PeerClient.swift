import HTTPTransfers
import HTTPTypes
import TLS

/// Sends requests to the other nodes of the fleet, on persistent connections.
///
/// A node that hangs does not delay other nodes: the requests to each node are limited, and each
/// request has a deadline. When a node ceases to be a member, the requests to it are cancelled.
final class PeerClient: Sendable {
  private let loop: TransferLoop
  private let limiter: PeerLimiter
  private let directory: any FleetDirectory
  private let timeout: Duration

  /// The default timeout, enough for large requests, such as a batch of thousands on a busy
  /// machine.
  static let defaultTimeout = Duration.seconds(15)
  private static let connectTimeout = Duration.seconds(2)
  private static let connectionsMax = 256

  /// - Parameters:
  ///   - requestsMax: the limit of unanswered requests to one node.
  ///   - timeout: the timeout of a response that is not a stream.
  init(
    of membership: TLSMembership, in directory: any FleetDirectory, requestsMax: Int = 96,
    timeout: Duration = PeerClient.defaultTimeout
  ) throws(TransferError) {
    var settings = TransferSettings()
    settings.connectionsMax = Self.connectionsMax
    settings.authorities = membership.authority
    settings.identity = (membership.certificate, membership.key)
    loop = try TransferLoop(settings)
    limiter = PeerLimiter(requestsMax: requestsMax, directory)
    (self.directory, self.timeout) = (directory, timeout)
  }

  /// A request to another node.
  struct NodeRequest: Sendable {
    var method = "POST"
    /// A path, perhaps with a query.
    var target: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8]?
    /// The longest allowed silence in a response that is a stream of any duration; nil for a
    /// response that has a deadline.
    var silenceMax: Duration?
  }

  private func transfer(_ nodeRequest: NodeRequest, to peer: FleetPeer) -> TransferRequest {
    var request = TransferRequest(
      nodeRequest.method, "https://\(peer.address)\(nodeRequest.target)")
    request.fields = nodeRequest.fields
    request.body = nodeRequest.body
    request.timeout = nodeRequest.silenceMax == nil ? timeout : nil
    request.silence = nodeRequest.silenceMax
    request.connectTimeout = Self.connectTimeout
    return request
  }

  /// A response whose head has arrived.
  struct OpenAnswer: Sendable {
    let head: ReplyHead
    /// The rest of the response, to be read as it arrives.
    let reply: StreamedReply
    /// While the permit exists, the request is cancelled if the node ceases to be a member.
    let permit: PeerLimiter.Permit
  }

  /// Returns the response when its head arrives.
  func open(_ nodeRequest: NodeRequest, to peer: FleetPeer) async throws(Problem) -> OpenAnswer {
    guard let permit = limiter.acquire(peer) else { throw Problem(overloaded: peer) }
    let reply = loop.stream(transfer(nodeRequest, to: peer))
    permit.onDeparture { [weak reply] in reply?.stop() }
    do {
      return OpenAnswer(head: try await reply.head(), reply: reply, permit: permit)
    } catch {
      throw problem(with: peer, after: error.outcome)
    }
  }

  /// Returns the whole response.
  ///
  /// - Parameter bodyMax: the limit of the body in bytes; a longer body is an error.
  func answer(
    to nodeRequest: NodeRequest, of peer: FleetPeer, bodyMax: Int
  ) async throws(Problem) -> (status: Int, body: [UInt8]) {
    guard let permit = limiter.acquire(peer) else { throw Problem(overloaded: peer) }
    defer { withExtendedLifetime(permit) {} }
    let request = transfer(nodeRequest, to: peer)
    let exchange = Task { [loop] in await loop.reply(to: request, bodyMax: bodyMax) }
    permit.onDeparture { exchange.cancel() }
    let reply = await withTaskCancellationHandler {
      await exchange.value
    } onCancel: {
      exchange.cancel()
    }
    guard reply.outcome == .whole, let status = reply.head.status else {
      throw problem(with: peer, after: reply.outcome)
    }
    return (status, reply.body)
  }

  /// Returns the refusal of a request that a node has not answered as a whole.
  func problem(with peer: FleetPeer, after outcome: TransferOutcome) -> Problem {
    Problem(peer, after: outcome, isGone: !directory.isMember(peer))
  }
}

extension Problem {
  /// The refusal of a request that a node has not answered as a whole. If the request was sent, the
  /// node may have carried it out.
  ///
  /// - Parameters:
  ///   - outcome: how the transfer of the response ended.
  ///   - isGone: whether the node is no longer a member, so that others take over from it.
  init(_ peer: FleetPeer, after outcome: TransferOutcome, isGone: Bool = false) {
    let doubt = outcome.wasSent ? ", and may have carried out the request" : ""
    let reason = isGone ? "others take over from it" : "\(outcome)"
    self.init(
      .unavailable,
      "node \(peer.name.shortened), the owner, did not answer\(doubt): \(reason); send the "
        + "request again: an event that was accepted is reported as a duplicate",
      headers: [.retryAfter: "1"])
  }

  /// The refusal of a request to a node that has too many unanswered requests from this node.
  init(overloaded peer: FleetPeer) {
    self.init(
      .unavailable,
      "too many requests wait for node \(peer.name.shortened), the owner; try again soon",
      headers: [.retryAfter: "1"])
  }
}
