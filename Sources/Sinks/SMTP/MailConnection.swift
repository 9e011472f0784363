import Dispatch
import Synchronization

/// A postbox with a thread of its own while there is something to send: what stalls there holds up
/// no other connection.
final class MailConnection: Sendable {
  private let queue = DispatchQueue(label: "mail connection")
  private let postbox: Mutex<Postbox>

  init(_ postbox: sending Postbox) {
    self.postbox = Mutex(postbox)
  }

  /// Does what blocks, after whatever was asked for before.
  func work(_ body: @escaping @Sendable (Postbox) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: postbox.withLock { body($0) })
      }
    }
  }
}
