/// The reason why the service cannot answer now. The description is for the caller.
package struct ServiceUnavailable: Error, Sendable, CustomStringConvertible {
  package enum Kind: Sendable {
    /// The service is stopping, or cannot use its store until it has restarted.
    case stopping
    /// The disk of the store is full.
    case storageFull
    /// Another program has locked the store.
    case storeLocked
    /// The store does not support backups.
    case noBackup
    /// The request failed, and would fail again.
    case failed
    case overloaded
    /// Long computations of other callers are running; the client has to try again later.
    case busy
    /// The clock is far behind the store's records (rule T12).
    case clockBehind
    /// Another node owns the recipient, or will own it.
    case elsewhere
  }

  package let kind: Kind
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
