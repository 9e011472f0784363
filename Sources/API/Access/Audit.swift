import Access
import HTTPTypes
import Synchronization

/// What administrators and support have changed, as those learn of it who answer for the service
/// (rule H5).
package struct AuditEntry: Hashable, Sendable {
  /// Who did it: `user 1000`, or `token aahme3ivwr "backend"`.
  package let actor: String
  /// The operation, by the identifier that /openapi.json has for it.
  package let action: String
  /// The person that it was about, if it was about one.
  package let recipient: String?
  /// What it was about beside that, such as the token that was made.
  package let subject: String?

  package init(actor: String, action: String, recipient: String? = nil, subject: String? = nil) {
    self.actor = actor
    self.action = action
    self.recipient = recipient
    self.subject = subject
  }
}

/// Keeps the entries of changes, outside of the store.
package protocol AuditLog: Sendable {
  func record(_ entry: AuditEntry)
}

/// What a route's answer adds to the entry of its call.
final class AuditNote: Sendable {
  private let text = Mutex<String?>(nil)
  private let isOthers = Mutex(false)

  /// - Parameter subject: must hold no secret and no address (rule S3).
  func add(_ subject: String) { text.withLock { $0 = subject } }

  var subject: String? { text.withLock(\.self) }

  /// Another node does what is asked for, and tells of it.
  func leaveToOthers() { isOthers.withLock { $0 = true } }

  var isLeftToOthers: Bool { isOthers.withLock(\.self) }
}

extension Call {
  /// What is to be kept of it once it has done what it asks for; nil where that changes nothing, or
  /// where it is the person's own doing.
  func auditEntry(of route: Route, about recipient: String?) -> AuditEntry? {
    guard let caller, !audit.isLeftToOthers, caller.scope.has(.support), !isDryRun,
      route.isAudited(for: caller.scope)
    else { return nil }
    return AuditEntry(
      actor: caller.name, action: route.operation.identifier, recipient: recipient,
      subject: audit.subject ?? address)
  }

  var isDryRun: Bool { parameters["dryRun"] == "true" }

  /// What the address names beside a recipient.
  private var address: String? {
    let query = parameters.filter { $0.key != "recipient" && $0.key != "dryRun" }
      .map { "\($0.key)=\($0.value)" }.sorted()
    let parts = segments + query
    return parts.isEmpty ? nil : parts.joined(separator: " ").shortened
  }
}

extension Route {
  /// Facts that apps report are in the store, each with its source; a backup carries everything
  /// away, so it is told of though it changes nothing.
  fileprivate func isAudited(for scope: AccessScope) -> Bool {
    switch operation.identifier {
    case Operation.sendEvents.identifier: scope != .administrator
    case Operation.backup.identifier: true
    default: makesChanges
    }
  }

  /// Whether a request changes something.
  var makesChanges: Bool {
    switch operation.identifier {
    // They only work something out.
    case Operation.tryAhead.identifier, Operation.checkCatalog.identifier,
      Operation.simulate.identifier, Operation.catalogMessages.identifier,
      Operation.catalogTrial.identifier, Operation.checkConfiguration.identifier:
      false
    default: method != .get && method != .head
    }
  }
}
