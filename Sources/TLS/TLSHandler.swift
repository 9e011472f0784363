package import NIOCore
internal import NIOTLS

/// Encrypts and decrypts the traffic of a channel with TLS.
///
/// `TLSUserEvent` reports the completed handshake and an orderly end. A failure is reported as a
/// `TLSError` and closes the channel. A connection that ends without the peer's notice is also a
/// failure, because an attacker may have cut it. Data that is flushed before the handshake is done
/// is sent afterwards.
package final class TLSHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  private enum State {
    /// The channel is not active yet.
    case idle
    case shakingHands
    case open
    /// This side has announced the end of its data and still receives.
    case halfClosed
    case closed
  }

  private let session: TLSSession
  private var state = State.idle
  /// The writes that have not been encrypted; those before the mark are flushed.
  private var pendingWrites = MarkedCircularBuffer<PendingWrite>(initialCapacity: 8)
  /// The buffer for decrypted data, which is reused unless a receiver keeps it.
  private var plaintext = ByteBuffer()

  private struct PendingWrite {
    let bytes: ByteBuffer
    let promise: EventLoopPromise<Void>?
  }

  /// - Parameter host: a name, or an address without brackets, which the certificate must match.
  package init(connectingTo host: String, by context: TLSContext) throws(TLSError) {
    session = try TLSSession(context, connectingTo: host)
  }

  package init(acceptingBy context: TLSContext) throws(TLSError) {
    session = try TLSSession(accepting: context)
  }

  // MARK: - Handshake

  package func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  package func channelActive(context: ChannelHandlerContext) {
    context.fireChannelActive()
    begin(context)
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard state == .idle else { return }
    state = .shakingHands
    attempt(context) { () throws(TLSError) in try shakeHands(context) }
  }

  private func shakeHands(_ context: ChannelHandlerContext) throws(TLSError) {
    switch try session.shakeHands() {
    case .needsInput: sendSessionOutput(context)
    case .ended: throw .cutOff
    case .done:
      sendSessionOutput(context)
      state = .open
      context.fireUserInboundEventTriggered(
        TLSUserEvent.handshakeCompleted(negotiatedProtocol: session.protocolName))
      try encryptFlushed(context)
    }
  }

  // MARK: - Inbound

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard state != .closed else { return }
    attempt(context) { () throws(TLSError) in
      try session.feed(unwrapInboundIn(data))
      if state == .shakingHands { try shakeHands(context) }
      try decrypt(context)
    }
  }

  private func decrypt(_ context: ChannelHandlerContext) throws(TLSError) {
    // The receiver may close the channel.
    while state == .open || state == .halfClosed {
      plaintext.clear()
      switch try session.read(into: &plaintext) {
      case .done: context.fireChannelRead(wrapInboundOut(plaintext))
      case .needsInput: return sendSessionOutput(context)
      case .ended: return endAfterPeer(context)
      }
    }
  }

  /// Ends this side of the connection after the peer has ended its own, because no replies can
  /// come.
  private func endAfterPeer(_ context: ChannelHandlerContext) {
    announceEnd(context, becoming: .closed)
    context.fireUserInboundEventTriggered(TLSUserEvent.shutdownCompleted)
    context.close(promise: nil)
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent, state != .closed { fail(context, .cutOff) }
    context.fireUserInboundEventTriggered(event)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    if state != .closed, state != .idle { fail(context, .cutOff) }
    failWritesAndEnter(.closed)
    context.fireChannelInactive()
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    failWritesAndEnter(.closed)
  }

  // MARK: - Outbound

  package func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    switch state {
    case .idle, .shakingHands, .open:
      pendingWrites.append(PendingWrite(bytes: unwrapOutboundIn(data), promise: promise))
    case .halfClosed, .closed: promise?.fail(ChannelError.ioOnClosedChannel)
    }
  }

  package func flush(context: ChannelHandlerContext) {
    pendingWrites.mark()
    if state == .open {
      attempt(context) { () throws(TLSError) in try encryptFlushed(context) }
    }
  }

  /// Encrypts the flushed writes, and passes each one on with its own promise.
  private func encryptFlushed(_ context: ChannelHandlerContext) throws(TLSError) {
    while state == .open, pendingWrites.hasMark, let write = pendingWrites.popFirst() {
      var ciphertext = context.channel.allocator.buffer(capacity: 0)
      do throws(TLSError) {
        try session.encrypt(write.bytes, into: &ciphertext)
      } catch {
        write.promise?.fail(error)
        throw error
      }
      context.write(wrapOutboundOut(ciphertext), promise: write.promise)
    }
    context.flush()
  }

  /// Sends the messages that the session itself creates, such as those of the handshake.
  private func sendSessionOutput(_ context: ChannelHandlerContext) {
    var ciphertext = context.channel.allocator.buffer(capacity: 0)
    session.drain(into: &ciphertext)
    if ciphertext.readableBytes > 0 {
      context.writeAndFlush(wrapOutboundOut(ciphertext), promise: nil)
    }
  }

  // MARK: - Closing

  /// Closes the channel. The peer is notified if the connection accepts the message immediately; no
  /// reply is awaited.
  package func close(
    context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
  ) {
    switch mode {
    case .all: announceEnd(context, becoming: .closed)
    case .output where state == .open: announceEnd(context, becoming: .halfClosed)
    case .output, .input: break
    }
    context.close(mode: mode, promise: promise)
  }

  /// Fails the pending writes and enters `next`. Notifies the peer if the connection was open.
  private func announceEnd(_ context: ChannelHandlerContext, becoming next: State) {
    let isOpen = state == .open
    failWritesAndEnter(next)
    guard isOpen else { return }
    session.addClosingMessage()
    sendSessionOutput(context)
  }

  private func failWritesAndEnter(_ next: State) {
    state = next
    failPendingWrites(ChannelError.ioOnClosedChannel)
  }

  private func attempt(
    _ context: ChannelHandlerContext, _ body: () throws(TLSError) -> Void
  ) {
    do throws(TLSError) {
      try body()
    } catch {
      fail(context, error)
    }
  }

  private func fail(_ context: ChannelHandlerContext, _ fault: TLSError) {
    guard state != .closed else { return }
    state = .closed
    // The session's output is an alert, which informs the peer of the reason.
    sendSessionOutput(context)
    context.fireErrorCaught(fault)
    failPendingWrites(fault)
    context.close(promise: nil)
  }

  private func failPendingWrites(_ error: any Error) {
    while let write = pendingWrites.popFirst() { write.promise?.fail(error) }
  }
}
