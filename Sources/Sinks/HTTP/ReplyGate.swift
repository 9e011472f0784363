internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Stands between the decoder of replies and the client, which ends the process at what it holds
/// to be impossible: a final reply with a status below 100.
///
/// After a reply that HTTP does not have, nothing of the connection gets to the client but that it
/// has failed.
final class ReplyGate: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  private let meter: ReplyMeter
  private var isShut = false

  private init(_ meter: ReplyMeter) {
    self.meter = meter
  }

  /// Puts a gate, and what counts for it, around the decoder of a connection.
  static func add(to pipeline: ChannelPipeline.SynchronousOperations) throws {
    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
    let meter = ReplyMeter()
    try pipeline.addHandler(meter, position: .before(decoder))
    try pipeline.addHandler(ReplyGate(meter), position: .after(decoder))
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isShut else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      let code = Int(head.status.code)
      guard let status = ReplyStatus(code: code) else {
        isShut = true
        context.fireErrorCaught(ReplyFault.status(code))
        return
      }
      if status != .interim { meter.isInHead = false }
    case .body: break
    case .end: meter.isInHead = true
    }
    context.fireChannelRead(data)
  }
}

/// Counts the bytes of a reply until its head is whole, with all that announces it.
final class ReplyMeter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// What is read at once comes on top of it.
  static let byteCountMax = 65_536

  var isInHead = true {
    didSet { byteCount = 0 }
  }
  private var byteCount = 0

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let count = unwrapInboundIn(data).readableBytes
    context.fireChannelRead(data)
    guard isInHead else { return }
    byteCount += count
    guard byteCount > Self.byteCountMax else { return }
    context.fireErrorCaught(HTTPParserError.headerOverflow)
    context.close(promise: nil)
  }
}

/// What is wrong with a reply, in words that end a sentence.
enum ReplyFault: Error, Hashable, CustomStringConvertible {
  case status(Int)

  var description: String {
    switch self {
    case .status(let code): "its status is \(code), which HTTP does not have"
    }
  }
}

/// Takes in the status and the first bytes of what comes back, and then ends it: nobody can keep us
/// busy, or fill our memory, with what nobody will read.
final class ReplyBeginning: HTTPClientResponseDelegate {
  static let byteCountMax = 4_096

  private struct State {
    var wasSent = false
    var reply: HTTPReply?
  }

  private struct Enough: Error {}

  private let state = Mutex(State())

  /// Whether the request was written to a connection.
  var wasSent: Bool { state.withLock { $0.wasSent } }

  /// What has come, if that was a whole head at least.
  var reply: HTTPReply? { state.withLock { $0.reply } }

  func didSendRequestHead(task: HTTPClient.Task<HTTPReply>, _ head: HTTPRequestHead) {
    state.withLock { $0.wasSent = true }
  }

  func didReceiveHead(
    task: HTTPClient.Task<HTTPReply>, _ head: HTTPResponseHead
  ) -> EventLoopFuture<Void> {
    state.withLock { $0.reply = HTTPReply(head) }
    return task.eventLoop.makeSucceededVoidFuture()
  }

  func didReceiveBodyPart(
    task: HTTPClient.Task<HTTPReply>, _ buffer: ByteBuffer
  ) -> EventLoopFuture<Void> {
    let isFull = state.withLock { state in
      let room = Self.byteCountMax - (state.reply?.beginning.count ?? 0)
      state.reply?.beginning += buffer.readableBytesView.prefix(room)
      return buffer.readableBytes >= room
    }
    return isFull
      ? task.eventLoop.makeFailedFuture(Enough()) : task.eventLoop.makeSucceededVoidFuture()
  }

  func didFinishRequest(task: HTTPClient.Task<HTTPReply>) throws -> HTTPReply {
    guard let reply else { throw HTTPClientError.remoteConnectionClosed }
    return reply
  }
}
