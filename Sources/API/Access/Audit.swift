import Access
import HTTPTypes
import Synchronization

/// A change by an administrator or support, as recorded in the audit log (rule H5).
package struct AuditEntry: Hashable, Sendable {
  /// The caller's name, such as `user 1000` or `token aahme3ivwr "backend"`; `SIGHUP` for a reload
  /// by that signal.
  package let actor: String
  /// The operation's identifier in /openapi.json.
  package let action: String
  /// The recipient that the change was about, if any.
  package let recipient: String?
  /// Any other object of the change, such as the created token.
  package let subject: String?

  package init(actor: String, action: String, recipient: String? = nil, subject: String? = nil) {
    self.actor = actor
    self.action = action
    self.recipient = recipient
    self.subject = subject
  }
}

/// Writes audit entries to a log outside of the store.
package protocol AuditLog: Sendable {
  func record(_ entry: AuditEntry)
}

/// The subject that a route adds to the audit entry of its call.
final class AuditNote: Sendable {
  private let text = Mutex<String?>(nil)
  /// Whether the call gets no audit entry.
  private let omission = Mutex(false)

  /// Sets the subject of the entry, which must contain no secret and no address (rule S3).
  func setSubject(_ subject: String) { text.withLock { $0 = subject } }

  var subject: String? { text.withLock(\.self) }

  /// Omits the audit entry, because another node writes it, or the call has changed nothing.
  func omit() { omission.withLock { $0 = true } }

  var isOmitted: Bool { omission.withLock(\.self) }
}

extension Call {
  /// The audit entry of a successful call by an administrator or support. Nil for other callers,
  /// for a call that is not audited, for a dry run, and if the entry was omitted.
  func auditEntry(of route: Route, about recipient: String?) -> AuditEntry? {
    guard let caller, !audit.isOmitted, caller.scope.has(.support), !isDryRun,
      route.isAudited(for: caller.scope)
    else { return nil }
    return AuditEntry(
      actor: caller.name, action: route.operation.identifier, recipient: recipient,
      subject: audit.subject ?? requestValues)
  }

  var isDryRun: Bool { parameters["dryRun"] == "true" }

  /// The values in the path and the query, except the recipient.
  private var requestValues: String? {
    let query = parameters.filter { $0.key != "recipient" && $0.key != "dryRun" }
      .map { "\($0.key)=\($0.value)" }.sorted()
    let values = segments + query
    return values.isEmpty ? nil : values.joined(separator: " ").shortened
  }
}

extension Route {
  /// Whether a successful call gets an audit entry. Events are audited only if support reports
  /// them. Events from administrators and `report` tokens are not audited, because the store has
  /// each event with its source. An erasure by an event has a separate entry. An import is audited
  /// for administrators too, because the source of its events is the same for every caller. A
  /// backup is audited although it changes nothing, because it discloses everything.
  fileprivate func isAudited(for scope: AccessScope) -> Bool {
    switch operation.identifier {
    case Operation.backup.identifier, Operation.importCalendar.identifier: true
    case _ where acceptsEvents: scope != .administrator
    default: makesChanges
    }
  }

  /// Whether a successful request changes something.
  var makesChanges: Bool {
    switch operation.identifier {
    // These operations only compute something.
    case Operation.tryAhead.identifier, Operation.checkCatalog.identifier,
      Operation.simulate.identifier, Operation.catalogMessages.identifier,
      Operation.catalogTrial.identifier, Operation.replay.identifier,
      Operation.checkConfiguration.identifier:
      false
    default: method != .get && method != .head
    }
  }

  /// Whether a request counts against its caller's limit of changes (rule H15). Requests with
  /// events do not, because their events are counted one by one. The revocation of the caller's own
  /// token does not count either, because it must always be possible.
  var countsAsChange: Bool {
    !acceptsEvents && operation.identifier != Operation.closeConsole.identifier && makesChanges
  }
}
