internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

extension HTTP2Connection {
  /// Opens a connection that is ready when the server has said by its settings that it speaks
  /// HTTP/2 and how much at once.
  static func open(
    to origin: ExchangeOrigin, on loop: any EventLoop, tls: NIOSSLContext, within span: Duration
  ) async -> Result<HTTP2Connection, ExchangeFailure> {
    let ready = loop.makePromise(of: HTTP2Connection.self)
    let limit = TimeAmount(max(.zero, span))
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(limit)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            try secure(tls, origin), HTTP2NegotiationHandler(ready: ready),
          ])
        }
      }
    let connecting = bootstrap.connect(host: origin.host, port: origin.port)
    let timer = loop.scheduleTask(in: limit) {
      ready.fail(OpeningFlaw("it did not answer in time"))
    }
    connecting.cascadeFailure(to: ready)
    defer { timer.cancel() }
    do {
      return .success(try await ready.futureResult.get())
    } catch {
      connecting.whenSuccess { $0.close(promise: nil) }
      let flaw = OpeningFlaw(error)
      return .failure(.unreachable("\(origin) cannot be reached: \(flaw)"))
    }
  }

  /// A name is checked against the certificate; of an address, that is done by what it connects to.
  private static func secure(
    _ tls: NIOSSLContext, _ origin: ExchangeOrigin
  ) throws -> NIOSSLClientHandler {
    let isAddress = (try? SocketAddress(ipAddress: origin.host, port: origin.port)) != nil
    return try NIOSSLClientHandler(
      context: tls, serverHostname: isAddress ? nil : origin.host)
  }
}
