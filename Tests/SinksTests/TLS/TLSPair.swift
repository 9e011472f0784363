import NIOCore
import NIOEmbedded
import NIOTLS
import Synchronization
import TLS

/// Two sides of a connection over a wire that the test controls.
final class TLSPair {
  let client: TLSSide
  let server: TLSSide

  /// - Parameters:
  ///   - authority: the authority that the client trusts; nil for the system's.
  ///   - protocolName: the server's protocol.
  init(
    _ certificates: TestCertificates, _ kind: TestCertificates.Kind = .good, authority: String?,
    host: String = "hooks.example", protocolName: StaticString? = "h2"
  ) throws {
    let connecting = try TLSContext(connectingBy: "h2", trusting: authority)
    let accepting = try TLSContext(
      acceptingBy: protocolName, certificates: certificates.certificate(kind),
      key: certificates.key)
    client = try TLSSide(TLSHandler(connectingTo: host, by: connecting))
    server = try TLSSide(TLSHandler(acceptingBy: accepting))
  }

  func connect() throws {
    for side in [server, client] {
      try side.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
    }
  }

  /// Transfers the bytes of both sides until both are silent.
  ///
  /// - Parameters:
  ///   - size: the largest number of bytes that arrive at once.
  ///   - damage: changes the server's bytes.
  func carry(by size: Int = .max, damage: (inout ByteBuffer) -> Void = { _ in }) throws {
    var isMoving = true
    while isMoving {
      isMoving = false
      for (sender, receiver) in [(client, server), (server, client)] {
        while var bytes = try sender.channel.readOutbound(as: ByteBuffer.self) {
          isMoving = true
          if sender === server { damage(&bytes) }
          try receiver.receive(&bytes, by: size)
        }
      }
    }
  }
}

/// One side, with its received data and events.
final class TLSSide {
  let channel: EmbeddedChannel
  private let recorder = EventRecorder()

  init(_ handler: TLSHandler) throws {
    channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([Wire(), handler, recorder])
  }

  var received: [UInt8] { recorder.received }
  var events: [TLSUserEvent] { recorder.events }
  var faults: [TLSError.Kind] { recorder.faults.map(\.kind) }
  /// The text of OpenSSL for the first fault.
  var words: String? { recorder.faults.first?.words }

  fileprivate func receive(_ bytes: inout ByteBuffer, by size: Int) throws {
    while bytes.readableBytes > 0, channel.isActive,
      let piece = bytes.readSlice(length: min(size, bytes.readableBytes))
    {
      try channel.writeInbound(piece)
    }
  }

  /// Ends the connection without an announcement.
  func cutWire() {
    channel.pipeline.fireChannelInactive()
  }

  /// - Returns: the promise of the write.
  func write(_ bytes: [UInt8], isFlushed: Bool = true) -> TLSPromise {
    let promise = channel.eventLoop.makePromise(of: Void.self)
    let observed = TLSPromise(promise.futureResult)
    channel.write(ByteBuffer(bytes: bytes), promise: promise)
    if isFlushed { channel.flush() }
    return observed
  }
}

/// Counts how often a promise succeeds or fails.
final class TLSPromise: Sendable {
  private let outcomes = Mutex<[Result<Void, any Error>]>([])

  init(_ future: EventLoopFuture<Void>) {
    future.whenComplete { outcome in self.outcomes.withLock { $0.append(outcome) } }
  }

  private var outcomeList: [Result<Void, any Error>] { outcomes.withLock { $0 } }

  var isOpen: Bool { outcomeList.isEmpty }
  var hasSucceededOnce: Bool { outcomeList.count == 1 && failure == nil }
  var hasFailedOnce: Bool { outcomeList.count == 1 && failure != nil }
  var fault: TLSError.Kind? { (failure as? TLSError)?.kind }

  private var failure: (any Error)? {
    if case .failure(let error)? = outcomeList.first { error } else { nil }
  }
}

/// Supports closing one direction, which the embedded channel lacks.
private final class Wire: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
  }
}

/// Records events.
private final class EventRecorder: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  var received: [UInt8] = []
  var events: [TLSUserEvent] = []
  var faults: [TLSError] = []

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += unwrapInboundIn(data).readableBytesView
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? TLSUserEvent { events.append(event) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let fault = error as? TLSError { faults.append(fault) }
  }
}
