import API
import Systemd

/// Writes an audit entry to the journal for each change (rule H5), regardless of the log level. A
/// client that can change the store cannot change these entries.
struct JournalAudit: AuditLog {
  let journal: Journal

  func record(_ entry: AuditEntry) {
    var message = "\(entry.actor) performed \(entry.action)"
    if let recipient = entry.recipient { message += " for \(recipient)" }
    if let subject = entry.subject { message += ": \(subject)" }
    var fields = [(JournalField.actor, entry.actor), (.action, entry.action)]
    if let recipient = entry.recipient { fields.append((.recipient, recipient)) }
    if let subject = entry.subject { fields.append((.subject, subject)) }
    journal.unfiltered.send(.changed, message, fields: fields)
  }
}
