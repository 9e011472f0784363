import Access

/// Who sends events: about whom they may report, and under which name it is kept that they erased
/// somebody.
struct EventReporter: Sendable {
  let scope: AccessScope
  private let name: String
  private let audit: (any AuditLog)?

  /// - Throws: for who may report nothing at all.
  init(_ caller: Caller, audit: (any AuditLog)?) throws(Problem) {
    if caller.scope == .observer { throw Problem(caller.scope, lacks: .support) }
    scope = caller.scope
    name = caller.name
    self.audit = audit
  }

  func tell(ofErasing recipient: String) {
    audit?.record(
      AuditEntry(
        actor: name, action: Operation.erase.identifier, recipient: recipient,
        subject: "by an event"))
  }
}
