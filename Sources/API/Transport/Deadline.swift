import NIOCore

/// A limit on how long the rest of a request may take to arrive.
///
/// It is a task of the connection's own event loop: a sleeping task of its own for each request
/// would cost more than the request, and stay behind until the limit when it is cancelled.
struct Deadline {
  /// What reading fails with when the limit has passed.
  struct Exceeded: Error {}

  private let expiry: Scheduled<Void>

  /// Begins to count.
  init(after limit: Duration, on channel: any Channel) {
    expiry = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) {
      channel.pipeline.fireErrorCaught(Exceeded())
    }
  }

  /// Ends the counting: what is awaited has come.
  func lift() {
    expiry.cancel()
  }
}
