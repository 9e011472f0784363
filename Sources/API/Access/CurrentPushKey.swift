import Synchronization

/// The current public key for the subscriptions of browsers, in base64url (rule H20); nil if web
/// push is not configured. A reload replaces it.
package final class CurrentPushKey: Sendable {
  private let key: Mutex<String?>

  package init(_ key: String? = nil) {
    self.key = Mutex(key)
  }

  package var value: String? {
    get { key.withLock(\.self) }
    set { key.withLock { $0 = newValue } }
  }
}
