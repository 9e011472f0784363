import Synchronization

@testable import API

/// Collects audit entries.
final class CollectingAudit: AuditLog {
  private let recorded = Mutex<[AuditEntry]>([])

  var entries: [AuditEntry] { recorded.withLock(\.self) }

  func record(_ entry: AuditEntry) { recorded.withLock { $0.append(entry) } }
}
