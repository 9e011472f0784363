import Access
import NIOCore

/// Admits connections at a listener up to the limit. While a connection waits for admission, later
/// connections stay in the kernel's longer queue.
///
/// No timer runs while no connection is open.
final class ConnectionAdmitter: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  private struct Arrival {
    let data: NIOAny
    let channel: any Channel
    let origin: ConnectionOrigin
  }

  private let limiter: ConnectionLimiter
  private let limits: APILimits
  private let kind: ListenerKind
  private let administrators: LocalAuthority
  /// The context of this handler; nil after the listener is closed.
  private var context: ChannelHandlerContext?
  /// The connections that wait for admission, in the order of arrival.
  private var arrivals: [Arrival] = []
  /// Whether a read of the listening socket is delayed until no connection waits.
  private var isReadDelayed = false
  /// The next attempt to admit the connections that wait.
  private var scheduledRetry: Scheduled<Void>?
  /// The next search for connections that are silent for too long, at `nextCheck`.
  private var scheduledCheck: Scheduled<Void>?
  private var nextCheck = NIODeadline.distantFuture

  /// The shortest delay before the admission of a waiting connection is tried again.
  private static let retryPauseMin = TimeAmount.milliseconds(100)

  init(
    limiter: ConnectionLimiter, limits: APILimits, kind: ListenerKind,
    administrators: LocalAuthority
  ) {
    self.limiter = limiter
    self.limits = limits
    self.kind = kind
    self.administrators = administrators
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  private func end() {
    context = nil
    scheduledRetry?.cancel()
    scheduledCheck?.cancel()
    for arrival in arrivals { arrival.channel.close(promise: nil) }
    arrivals = []
  }

  // MARK: - Arrivals

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let channel = unwrapInboundIn(data)
    let kind = kind
    let boundArrival = NIOLoopBound((gate: self, data: data), eventLoop: context.eventLoop)
    channel.eventLoop.submit { try ConnectionOrigin(channel, at: kind) }
      .hop(to: context.eventLoop)
      .whenComplete { origin in
        let (gate, data) = boundArrival.value
        gate.receive(data, channel, try? origin.get())
      }
  }

  /// - Parameter origin: the connection's origin; nil if the connection has already ended.
  private func receive(_ data: NIOAny, _ channel: any Channel, _ origin: ConnectionOrigin?) {
    guard context != nil, let origin else { return channel.close(promise: nil) }
    arrivals.append(Arrival(data: data, channel: channel, origin: origin))
    if arrivals.count == 1 { admit() }
  }

  func read(context: ChannelHandlerContext) {
    isReadDelayed = !arrivals.isEmpty
    if !isReadDelayed { context.read() }
  }

  private func admit() {
    scheduledRetry?.cancel()
    scheduledRetry = nil
    while let context, let arrival = arrivals.first {
      let loop = context.eventLoop
      let boundSelf = NIOLoopBound(self, eventLoop: loop)
      let admission = limiter.admit(
        arrival.channel, from: arrival.origin, of: peer(arrival.origin),
        orWait: { loop.execute { boundSelf.value.admit() } })
      if admission == .wait { return scheduleRetry(context) }
      arrivals.removeFirst()
      if case .refused = admission {
        arrival.channel.close(promise: nil)
      } else {
        context.fireChannelRead(arrival.data)
        scheduleCheck(after: limits.opening)
      }
    }
    guard isReadDelayed, let context else { return }
    isReadDelayed = false
    context.read()
  }

  private func peer(_ origin: ConnectionOrigin) -> ConnectionPeer {
    switch origin {
    case .local(let peer):
      ConnectionPeer(
        name: peer.map { "user \($0.user)" } ?? "",
        isAdministrator: peer.map(administrators.isAdministrator) ?? false)
    case .network(_, let peer), .node(let peer): ConnectionPeer(name: peer, isAdministrator: false)
    }
  }

  /// Tries again after the grace period, when an open connection may have been idle long enough to
  /// be closed.
  private func scheduleRetry(_ context: ChannelHandlerContext) {
    let pause = max(TimeAmount(limits.evictionGrace), Self.retryPauseMin)
    scheduledRetry = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { self.admit() }
  }

  // MARK: - Silence

  private func scheduleCheck(after pause: Duration) {
    guard let context else { return }
    let deadline = NIODeadline.now() + TimeAmount(pause)
    guard deadline < nextCheck else { return }
    scheduledCheck?.cancel()
    nextCheck = deadline
    scheduledCheck = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
      self.nextCheck = .distantFuture
      if let pause = self.limiter.closeOverdue() { self.scheduleCheck(after: pause) }
    }
  }
}
