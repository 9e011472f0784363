import HTTPTransfers
import HTTPTypes
import TLS

/// Sends requests to the other nodes of the fleet, on connections that are kept.
///
/// One that hangs holds up nobody else: there is room for so many requests to each, each has a
/// deadline, and is given up before it when others have taken over from the node.
final class PeerClient: Sendable {
  private let loop: TransferLoop
  private let rooms: PeerLimiter
  private let directory: any FleetDirectory
  private let patience: Duration

  /// What is long, such as a batch of thousands on a busy machine, takes less.
  static let patience = Duration.seconds(15)
  private static let connectPatience = Duration.seconds(2)
  /// Longer than any answer that goes on is silent: a stream has a heartbeat every 15 seconds.
  private static let silence = Duration.seconds(20)
  private static let connectionsMax = 256

  /// - Parameters:
  ///   - atOnce: how many requests to one node may be without an answer.
  ///   - patience: how long an answer may take to its last byte, unless it may go on for long.
  init(
    of membership: TLSMembership, in directory: any FleetDirectory, atOnce: Int = 96,
    patience: Duration = PeerClient.patience
  ) throws(TransferFault) {
    var settings = TransferSettings()
    settings.connectionsMax = Self.connectionsMax
    settings.authorities = membership.authority
    settings.identity = (membership.certificate, membership.key)
    loop = try TransferLoop(settings)
    rooms = PeerLimiter(atOnce: atOnce, directory)
    (self.directory, self.patience) = (directory, patience)
  }

  struct Question: Sendable {
    var method = "POST"
    /// A path, perhaps with a query.
    var target: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8]?
    /// Whether the answer may go on for long.
    var isOpen = false
  }

  private func transfer(_ question: Question, to peer: FleetPeer) -> TransferRequest {
    var request = TransferRequest(question.method, "https://\(peer.address)\(question.target)")
    request.fields = question.fields
    request.body = question.body
    request.patience = question.isOpen ? nil : patience
    request.silence = question.isOpen ? Self.silence : nil
    request.connectPatience = Self.connectPatience
    return request
  }

  /// An answer whose head has come.
  struct OpenAnswer: Sendable {
    let head: ReplyHead
    let reply: StreamedReply
    /// For as long as it is kept, the node is waited for no longer than it is a member.
    let room: PeerLimiter.Room
  }

  /// The answer, as soon as its head has come.
  func open(_ question: Question, to peer: FleetPeer) async throws(Problem) -> OpenAnswer {
    guard let room = rooms.enter(peer) else { throw Problem(overloaded: peer) }
    let reply = loop.stream(transfer(question, to: peer))
    room.whenGone { [weak reply] in reply?.stop() }
    do {
      return OpenAnswer(head: try await reply.head(), reply: reply, room: room)
    } catch {
      throw problem(with: peer, after: error.outcome)
    }
  }

  /// The whole answer.
  ///
  /// - Parameter bodyMax: a longer one counts for none.
  func answer(
    to question: Question, of peer: FleetPeer, bodyMax: Int
  ) async throws(Problem) -> (status: Int, body: [UInt8]) {
    guard let room = rooms.enter(peer) else { throw Problem(overloaded: peer) }
    defer { withExtendedLifetime(room) {} }
    let request = transfer(question, to: peer)
    let asking = Task { [loop] in await loop.reply(to: request, bodyMax: bodyMax) }
    room.whenGone { asking.cancel() }
    let reply = await withTaskCancellationHandler {
      await asking.value
    } onCancel: {
      asking.cancel()
    }
    guard reply.outcome == .whole, let status = reply.head.status else {
      throw problem(with: peer, after: reply.outcome)
    }
    return (status, reply.body)
  }

  func problem(with peer: FleetPeer, after outcome: TransferOutcome) -> Problem {
    directory.isMember(peer) ? Problem(peer, silent: outcome) : Problem(gone: peer)
  }
}

extension Problem {
  /// A node has not answered; whatever it has done by now, it may have done.
  init(_ peer: FleetPeer, silent outcome: TransferOutcome) {
    let doubt = outcome.wasSent ? ", and may have done it all the same" : ""
    self.init(
      .unavailable,
      "the node \(peer.name.shortened), whose this is, did not answer\(doubt): \(outcome); send it "
        + "again: an event that was taken in is told to be a duplicate",
      headers: [.retryAfter: "1"])
  }

  /// It has not answered, and has been taken over from.
  init(gone peer: FleetPeer) {
    self.init(
      .unavailable,
      "the node \(peer.name.shortened), whose this was, has not answered, and others take over "
        + "from it; it may have done it all the same: send it again: an event that was taken in is "
        + "told to be a duplicate", headers: [.retryAfter: "1"])
  }

  init(overloaded peer: FleetPeer) {
    self.init(
      .unavailable,
      "too many requests wait for the node \(peer.name.shortened), whose this is; try again soon",
      headers: [.retryAfter: "1"])
  }
}
