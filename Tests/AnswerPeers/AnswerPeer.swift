internal import Glibc
package import NIOCore
internal import NIOPosix
package import TLS

/// A server in the same process that sends the bytes of scripts.
package final class AnswerPeer: Sendable {
  package let port: Int
  private let server: any Channel

  /// - Parameter makeHandler: creates the handler of a connection.
  package init(
    tls: TLSContext? = nil, makeHandler: @escaping @Sendable () -> any ChannelHandler
  ) async throws {
    server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(TLSHandler(acceptingBy: tls)) }
          try pipeline.addHandler(makeHandler())
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = server.localAddress?.port ?? 0
  }

  deinit {
    server.close(promise: nil)
  }
}

/// Sends a script's bytes on a connection.
struct AnswerWriter {
  /// The maximum length of an answer, in bytes. A client that accepts more is at fault.
  static let byteCountMax = 16 << 20

  let context: ChannelHandlerContext

  func write(_ pieces: [[UInt8]]) {
    for piece in pieces {
      context.writeAndFlush(NIOAny(ByteBuffer(bytes: piece)), promise: nil)
    }
  }

  /// Repeats the bytes until the client disconnects. If the client has accepted `byteCountMax`
  /// bytes, calls `whenExceeded` and disconnects.
  ///
  /// - Parameter bytesPerSecond: the maximum rate; nil for no limit.
  func repeatEndlessly(
    _ bytes: [UInt8], bytesPerSecond: Int? = nil, whenExceeded: @escaping @Sendable () -> Void
  ) {
    let nanoseconds = bytesPerSecond.map { Int64(bytes.count) * 1_000_000_000 / Int64($0) } ?? 0
    Self.pump(
      ByteBuffer(bytes: bytes), on: context.channel, pause: .nanoseconds(nanoseconds), sent: 0,
      whenExceeded)
  }

  private static func pump(
    _ buffer: ByteBuffer, on channel: any Channel, pause: TimeAmount, sent: Int,
    _ whenExceeded: @escaping @Sendable () -> Void
  ) {
    guard sent < byteCountMax else {
      whenExceeded()
      return channel.close(promise: nil)
    }
    channel.writeAndFlush(buffer).whenSuccess {
      let next = { @Sendable in
        pump(buffer, on: channel, pause: pause, sent: sent + buffer.readableBytes, whenExceeded)
      }
      if pause == .zero { next() } else { channel.eventLoop.scheduleTask(in: pause, next) }
    }
  }

  func end(_ ending: AnswerScript.Ending) {
    switch ending {
    case .stay: break
    case .close: context.close(promise: nil)
    case .halfClose: context.close(mode: .output, promise: nil)
    case .reset:
      let options = context.channel as? any SocketOptionProvider
      let channel = context.channel
      guard let options else { return channel.close(promise: nil) }
      options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
        channel.close(promise: nil)
      }
    }
  }
}
