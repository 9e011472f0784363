import NIOCore

extension Channel {
  /// Closes the connection when what was written to it is sent and a while has passed.
  ///
  /// What the client still sends is read and thrown away meanwhile, because a client that finds its
  /// connection closed in the middle may not look for an answer.
  func end(after linger: Duration) {
    // Scheduled from behind the last write: a busy event loop puts what is due before what waits.
    let loop = eventLoop
    loop.execute {
      loop.scheduleTask(in: TimeAmount(linger)) { self.close(promise: nil) }
    }
  }
}
