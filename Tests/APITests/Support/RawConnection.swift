import Glibc
import NIOCore
import NIOPosix

/// A connection on which a test controls every byte.
struct RawConnection {
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private let iterator: Iterator
  private let channel: any Channel

  /// Owns the iterator, of which only one may exist.
  private final class Iterator {
    var base: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    var received = ""

    init(_ base: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) {
      self.base = base
    }
  }

  /// Opens a connection, runs `body`, and closes the connection.
  ///
  /// - Parameter source: the address to connect from, for TCP.
  static func opened(
    to server: TestServer, isOverTCP: Bool = false, from source: String? = nil,
    _ body: (RawConnection) async throws -> Void
  ) async throws {
    let colon = server.address.lastIndex(of: ":") ?? server.address.startIndex
    let address =
      isOverTCP
      ? try SocketAddress(
        ipAddress: String(server.address[..<colon]),
        port: Int(server.address[colon...].dropFirst()) ?? 0)
      : try SocketAddress(unixDomainSocketPath: server.socket)
    var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    if let source { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: source, port: 0)) }
    let channel =
      try await bootstrap
      .channelOption(.allowRemoteHalfClosure, value: true)
      .connect(to: address) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true))
        }
      }
    try await channel.executeThenClose { inbound, outbound in
      try await body(
        RawConnection(
          outbound: outbound, iterator: Iterator(inbound.makeAsyncIterator()),
          channel: channel.channel))
    }
  }

  /// Opens several connections, runs `body`, and closes them.
  static func opened(
    to server: TestServer, isOverTCP: Bool, from source: String, count: Int,
    _ body: ([RawConnection]) async throws -> Void
  ) async throws {
    func open(_ connections: [RawConnection]) async throws {
      guard connections.count < count else { return try await body(connections) }
      try await opened(to: server, isOverTCP: isOverTCP, from: source) { connection in
        try await open(connections + [connection])
      }
    }
    try await open([])
  }

  func send(_ text: String) async throws {
    try await outbound.write(ByteBuffer(string: text))
  }

  func send(_ bytes: [UInt8]) async throws {
    try await outbound.write(ByteBuffer(bytes: bytes))
  }

  /// Ends the sending side; receiving continues.
  func finish() {
    outbound.finish()
  }

  /// Reads until `text` has arrived or the connection ends. Returns everything received so far.
  func receive(until text: String) async throws -> String {
    while !iterator.received.contains(text), let chunk = try await iterator.base.next() {
      iterator.received += String(buffer: chunk)
    }
    return iterator.received
  }

  /// Everything received so far.
  var received: String { iterator.received }

  /// Reads the next bytes.
  ///
  /// - Returns: false at the end.
  func receiveMore() async throws -> Bool {
    guard let chunk = try await iterator.base.next() else { return false }
    iterator.received += String(buffer: chunk)
    return true
  }

  /// Reads until the connection ends. A reset counts as an end, because the server may leave sent
  /// bytes unread.
  func receiveAll() async throws -> String {
    do {
      while let chunk = try await iterator.base.next() {
        iterator.received += String(buffer: chunk)
      }
    } catch let error as IOError where error.errnoCode == ECONNRESET {}
    return iterator.received
  }
}
