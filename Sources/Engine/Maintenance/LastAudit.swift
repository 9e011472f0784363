import Synchronization

/// Holds the result of the latest nightly audit since the start. Thread-safe.
final class LastAudit: Sendable {
  private let state = Mutex<AuditSummary?>(nil)

  /// Nil before the first audit.
  var summary: AuditSummary? {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }
}
