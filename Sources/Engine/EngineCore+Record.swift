import CivilTime
import Reminders
import Store

extension EngineCore {
  /// Records what came of an occurrence, and gathers what is to be handed on when that is on disk.
  func record(
    _ firing: Firing, of stored: StoredRecipient, in situation: Situation, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    guard let caption = situation.caption(of: firing) else { return }
    switch firing.result {
    case .held(let until):
      let kind = Note.Kind.held(until: until)
      turn.notes.add(kind) { note(kind, firing, caption, stored, nil) }
    case .settled(let outcome):
      let record = record(outcome, firing, caption, row: stored.row)
      // An occurrence that has an outcome already was fired before the clock was set back.
      guard let row = try transaction.record(record) else { return }
      turn.lastNotification = row
      let kind = Note.Kind(outcome)
      turn.notes.add(kind) { note(kind, firing, caption, stored, row) }
      guard outcome == .delivered else { return }
      append(record, firing, caption, stored, notification: row, &turn)
    }
  }

  private func record(
    _ outcome: Outcome, _ firing: Firing, _ caption: Caption, row: UInt32
  ) -> NotificationRecord {
    NotificationRecord(
      row: row, reminder: firing.reminder, key: firing.key, planned: firing.planned,
      at: firing.at, outcome: outcome, channels: firing.channels, trace: firing.trace,
      title: caption.title, body: caption.body)
  }

  private func append(
    _ record: NotificationRecord, _ firing: Firing, _ caption: Caption,
    _ stored: StoredRecipient, notification: Int64, _ turn: inout Turn
  ) {
    for channel in firing.channels.channels {
      turn.deliveries.append(
        Delivery(
          instance: store.instance, notification: notification, row: stored.row,
          recipient: stored.recipient.name, reminder: caption.reminder,
          category: caption.category, channel: channel, planned: record.planned, at: record.at,
          title: record.title, body: record.body))
    }
  }

  private func note(
    _ kind: Note.Kind, _ firing: Firing, _ caption: Caption, _ stored: StoredRecipient,
    _ notification: Int64?
  ) -> Note {
    Note(
      kind: kind, recipient: stored.recipient.name, reminder: caption.reminder,
      channels: firing.channels, notification: notification.map { "\(store.instance)-\($0)" },
      reasons: firing.trace.isClear ? [] : firing.trace.reasons, planned: firing.planned)
  }
}

extension Note.Kind {
  fileprivate init(_ outcome: Outcome) {
    switch outcome {
    case .delivered: self = .delivered
    case .dropped: self = .dropped
    case .bundled: self = .bundled
    }
  }
}
