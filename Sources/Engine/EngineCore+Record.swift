import CivilTime
import Reminders
import Store

extension EngineCore {
  /// Records what came of an occurrence, and gathers what is to be handed on when that is on disk.
  func record(
    _ firing: Firing, of stored: StoredRecipient, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    guard let reminder = turn.planner.catalog.reminder(firing.reminder) else { return }
    switch firing.result {
    case .held(let until):
      let kind = Note.Kind.held(until: until)
      turn.notes.add(kind) { note(kind, firing, reminder, stored, nil) }
    case .settled(let outcome):
      let record = record(outcome, firing, reminder, row: stored.row)
      // An occurrence that has an outcome already was fired before the clock was set back.
      guard let row = try transaction.record(record) else { return }
      turn.lastNotification = row
      let kind: Note.Kind = outcome == .delivered ? .delivered : .dropped
      turn.notes.add(kind) { note(kind, firing, reminder, stored, row) }
      guard outcome == .delivered else { return }
      append(record, firing, reminder, stored, notification: row, &turn)
    }
  }

  private func record(
    _ outcome: Outcome, _ firing: Firing, _ reminder: Reminder, row: UInt32
  ) -> NotificationRecord {
    let message = reminder.messages[min(Int(firing.message), reminder.messages.count - 1)]
    return NotificationRecord(
      row: row, reminder: firing.reminder, key: firing.key, planned: firing.planned,
      at: firing.at, outcome: outcome, channels: firing.channels, trace: firing.trace,
      title: message.title.text(number: firing.number),
      body: message.body.text(number: firing.number))
  }

  private func append(
    _ record: NotificationRecord, _ firing: Firing, _ reminder: Reminder,
    _ stored: StoredRecipient, notification: Int64, _ turn: inout Turn
  ) {
    let category = turn.planner.catalog.categories[reminder.category].name
    for channel in firing.channels.channels {
      turn.deliveries.append(
        Delivery(
          instance: store.instance, notification: notification, row: stored.row,
          recipient: stored.recipient.name, reminder: reminder.identifier, category: category,
          channel: channel, planned: record.planned, at: record.at, title: record.title,
          body: record.body))
    }
  }

  private func note(
    _ kind: Note.Kind, _ firing: Firing, _ reminder: Reminder, _ stored: StoredRecipient,
    _ notification: Int64?
  ) -> Note {
    Note(
      kind: kind, recipient: stored.recipient.name, reminder: reminder.identifier,
      channels: firing.channels, notification: notification.map { "\(store.instance)-\($0)" },
      reasons: firing.trace.isClear ? [] : firing.trace.reasons, planned: firing.planned)
  }
}
