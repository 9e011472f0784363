import HTTPTransfers
import HTTPTypes
import HummingbirdCore
import NIOCore
import ServiceLifecycle

/// Forwards requests to the node that owns their recipient (rules F3, F9).
struct RequestForwarding: Sendable {
  let directory: any FleetDirectory
  let client: PeerClient
  /// Admits callers to streams, including those that other nodes serve.
  let admission: StreamAdmission
  let limits: APILimits

  /// The limit of a response that is not a stream, in bytes.
  private static let bodyMax = 8 << 20

  /// Returns the owner's response; nil if this node must answer itself.
  ///
  /// - Parameter hidesTexts: whether the texts of the recipient's notifications are hidden from the
  ///   caller; nil if the owner decides that.
  func response(
    to call: Call, of operation: Operation, about recipient: String, hidesTexts: Bool? = nil
  ) async throws -> Response? {
    guard let peer = directory.peer(having: recipient) else { return nil }
    call.audit.omit()
    let isStream = operation.identifier == Operation.stream.identifier
    let stream =
      try isStream ? admission.open(call) { (try? $0.recipient(named: recipient)) != nil } : nil
    var nodeRequest = try await nodeRequest(for: call, hidesTexts: hidesTexts)
    nodeRequest.silenceMax = Self.silenceMax(of: operation)
    let answer = try await client.open(nodeRequest, to: peer)
    let head = answer.head
    var response = Response(
      status: .init(code: head.status ?? 502), headers: ForwardedHead.headers(of: head))
    response.body =
      nodeRequest.silenceMax != nil && head.status == 200
      ? .forwarding(answer, to: call.scope, as: stream) { [directory] in
        directory.peer(having: recipient) == peer
      } : try await completeBody(of: answer, from: peer)
    return response
  }

  /// Returns the limit of silence in the response of an operation; nil for a response that is not a
  /// stream. An event stream has a heartbeat every 15 seconds. The operation `test` sends nothing
  /// until its wait is over.
  static func silenceMax(of operation: Operation) -> Duration? {
    switch operation.identifier {
    case Operation.stream.identifier: .seconds(20)
    case Operation.test.identifier: .seconds(TestNotificationRoute.waits.upperBound + 10)
    default: nil
    }
  }

  private func nodeRequest(
    for call: Call, hidesTexts: Bool?
  ) async throws(Problem) -> PeerClient.NodeRequest {
    var caller = call.caller
    caller?.hidesTexts = hidesTexts
    let request = call.request
    var nodeRequest = PeerClient.NodeRequest(
      method: request.method.rawValue,
      target: ForwardedHead.target(request.uri.path, request.uri.query),
      fields: ForwardedHead.fields(of: request.headers, for: caller))
    if request.method != .get, request.method != .head {
      nodeRequest.body = Array(buffer: try await call.body(within: limits))
    }
    return nodeRequest
  }

  /// Reads the rest of a response; throws a refusal if the body is too long or the node stops.
  private func completeBody(
    of answer: PeerClient.OpenAnswer, from peer: FleetPeer
  ) async throws(Problem) -> ResponseBody {
    defer { withExtendedLifetime(answer.permit) {} }
    var body = ByteBuffer()
    do {
      while let bytes = try await answer.reply.next() {
        body.writeBytes(bytes)
        guard body.readableBytes <= Self.bodyMax else { throw Problem(peer, after: .notHTTP) }
      }
    } catch let failure as StreamError {
      throw client.problem(with: peer, after: failure.outcome)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(peer, after: .stopped)
    }
    return ResponseBody(byteBuffer: body)
  }
}

extension ResponseBody {
  /// A stream that ends when the other node's stream ends or the client disconnects.
  ///
  /// - Parameters:
  ///   - stream: the client's event stream; nil for other responses. Clients of event streams
  ///     reconnect.
  ///   - isOwner: whether the other node still owns the recipient.
  fileprivate static func forwarding(
    _ answer: PeerClient.OpenAnswer, to scope: RequestScope, as stream: OpenStream?,
    while isOwner: @escaping @Sendable () -> Bool
  ) -> ResponseBody {
    let reply = answer.reply
    // An event stream keeps no permit: streams may be many and long, and the checks below end them.
    let permit = stream == nil ? answer.permit : nil
    scope.channel.closeFuture.whenComplete { [weak reply] _ in reply?.stop() }
    if stream != nil { scope.detectVanishedPeers(after: ForwardedStream.peerTimeout) }
    return ResponseBody { writer in
      // A node that hangs or is isolated does not report that another node has taken over the
      // recipient.
      let checks = stream.map { _ in
        scope.channel.eventLoop.scheduleRepeatedTask(
          initialDelay: ForwardedStream.checkInterval, delay: ForwardedStream.checkInterval
        ) { _ in
          if !isOwner() { reply.stop() }
        }
      }
      defer {
        checks?.cancel()
        withExtendedLifetime(permit) {}
      }
      try await withGracefulShutdownHandler {
        try await ForwardedStream(reply: reply, stream: stream).run(to: &writer)
      } onGracefulShutdown: {
        reply.stop()
      }
      try await writer.finish(nil)
    }
  }
}

private struct ForwardedStream {
  /// The time in which a client must acknowledge sent data; then the kernel ends the connection.
  static let peerTimeout = Duration.seconds(30)
  /// The interval between checks of the recipient's owner.
  static let checkInterval = TimeAmount.seconds(1)

  let reply: StreamedReply
  /// The client's event stream; nil for other responses.
  let stream: OpenStream?

  /// Passes the other node's stream on to the client.
  ///
  /// If the node ends or hangs, or another node takes over the recipient, the client is asked to
  /// reconnect. In the middle of an event, the stream ends without that request.
  func run(to writer: inout any ResponseBodyWriter) async throws {
    var blockEnd = BlockEndTracker()
    do {
      while let bytes = try await reply.next() {
        guard stream?.isAdmitted() ?? true else { return reply.stop() }
        blockEnd.append(bytes)
        try await writer.write(ByteBuffer(bytes: bytes))
      }
    } catch let failure as StreamError {
      guard let stream else { throw failure }
      guard blockEnd.isReached, stream.scope.channel.isActive else { return }
      try await writer.write(ServerSentEvents.end(.stopping))
    }
  }
}

/// Tracks whether a stream is between two events: each ends with an empty line.
private struct BlockEndTracker {
  private var lastBytes: [UInt8] = []

  mutating func append(_ bytes: [UInt8]) {
    lastBytes = Array((lastBytes + bytes.suffix(2)).suffix(2))
  }

  var isReached: Bool { lastBytes == Array("\n\n".utf8) }
}

extension Route {
  /// Whether only the node that owns the recipient can answer (rule F3). Such a request changes
  /// state of the recipient or streams the recipient's notifications.
  var needsOwner: Bool {
    switch answer {
    case .everyone, .service, .caller: return false
    case .person, .recipient: break
    }
    switch operation.identifier {
    case Operation.stream.identifier: return true
    // The first of these operations only computes. The other two change only the memory of this
    // node, which later shows the texts or serves the file.
    case Operation.tryAhead.identifier, Operation.recordTextView.identifier,
      Operation.createExportTicket.identifier:
      return false
    default: return method != .get && method != .head
    }
  }

  /// Whether other nodes may forward requests to the route.
  var isForNodes: Bool {
    let forwardableOperations = [
      Operation.sendEvents, .unsubscribe, .performAction, .discardDeadLetter,
      .discardDeadLetters, .resendDeadLetter, .resendDeadLetters,
    ]
    return needsOwner || forwardableOperations.contains { $0.identifier == operation.identifier }
  }
}
