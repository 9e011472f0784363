import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// A connection that was accepted and waits for the task that serves it.
///
/// The end of the service may overtake it in the queue. NIO takes a connection that was begun and
/// never ended for a mistake, and ends the process; so one that goes unserved is ended here.
final class QueuedConnection: Sendable {
  private let value: HTTP1Channel.Value
  private let http: HTTP1Channel
  private let logger: Logger
  private let isServed = Atomic(false)

  init(_ value: HTTP1Channel.Value, http: HTTP1Channel, logger: Logger) {
    self.value = value
    self.http = http
    self.logger = logger
  }

  func serve() async {
    isServed.store(true, ordering: .relaxed)
    await http.handle(value: value, logger: logger)
  }

  deinit {
    guard !isServed.load(ordering: .relaxed) else { return }
    let (value, http, logger) = (value, http, logger)
    value.channel.close(promise: nil)
    Task { await http.handle(value: value, logger: logger) }
  }
}
