internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

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
