import Synchronization

/// The key that links in e-mails are made and opened with, once the store that holds it is open.
package final class UnsubscribeKeyInForce: Sendable {
  private let key = Mutex<UnsubscribeKey?>(nil)

  package init() {}

  package var value: UnsubscribeKey? {
    get { key.withLock(\.self) }
    set { key.withLock { $0 = newValue } }
  }
}
