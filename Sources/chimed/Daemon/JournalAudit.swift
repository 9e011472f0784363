import API
import Systemd

/// Keeps in the journal who has changed what (rule H5): always, however little is to be written
/// otherwise, and where those do not reach who could change it in the store.
struct JournalAudit: AuditLog {
  let journal: Journal

  func record(_ entry: AuditEntry) {
    var message = "\(entry.actor) did \(entry.action)"
    if let recipient = entry.recipient { message += " for \(recipient)" }
    if let subject = entry.subject { message += ": \(subject)" }
    var fields = [(JournalField.actor, entry.actor), (.action, entry.action)]
    if let recipient = entry.recipient { fields.append((.recipient, recipient)) }
    if let subject = entry.subject { fields.append((.subject, subject)) }
    journal.unfiltered.send(.changed, message, fields: fields)
  }
}
