import CivilTime
import Outbox
import Reminders
import Store

extension RecipientFiring {
  /// Records the results of occurrences, and collects the deliveries to dispatch after the commit.
  ///
  /// - Parameters:
  ///   - fired: the occurrences that were finished or held.
  ///   - records: the records of the finished occurrences, in the order of `fired`.
  ///   - batch: the recipients of the occurrences, whose counters are updated.
  func record(
    _ fired: [FiredOccurrence], _ records: [NotificationRecord], of batch: inout [StoredRecipient],
    _ turn: inout Turn
  ) throws {
    guard !fired.isEmpty else { return }
    let rows = try turn.transaction.record(records, of: &batch)
    var recordIndex = 0
    let (fired, records) = (fired.span, records.span)
    for index in fired.indices {
      let name = batch[fired[index].recipientIndex].recipient.name
      guard case .held(let until) = fired[index].firing.result else {
        // There is no row if the occurrence got its outcome before the clock was set back.
        if let row = rows[recordIndex] {
          recordOutcome(records[recordIndex], fired[index], name, row, &turn)
        }
        recordIndex += 1
        continue
      }
      recordHold(fired[index], until: until, name, batch[fired[index].recipientIndex].row, &turn)
    }
  }

  private func recordHold(
    _ fired: FiredOccurrence, until end: Instant, _ name: String, _ row: UInt32, _ turn: inout Turn
  ) {
    turn.effects.counters.count(fired.firing)
    turn.effects.usage.add(fired.use)
    log(fired, of: row, nil, &turn)
    turn.traceFiring(fired, of: row, nil)
    let kind = OccurrenceNote.Kind.held(until: end)
    turn.effects.notes.add(kind) { note(kind, fired, name, nil) }
  }

  private func recordOutcome(
    _ record: NotificationRecord, _ fired: FiredOccurrence, _ name: String, _ row: Int64,
    _ turn: inout Turn
  ) {
    turn.effects.outbox.lastNotification = row
    turn.effects.counters.count(fired.firing)
    turn.effects.usage.add(fired.use, fired.firing.trace.runLength)
    log(fired, of: record.row, row, &turn)
    turn.traceFiring(fired, of: record.row, NotificationID(instance, row))
    let kind = OccurrenceNote.Kind(record.outcome)
    turn.effects.notes.add(kind) { note(kind, fired, name, row) }
    guard record.outcome == .delivered else { return }
    if !fired.relayedEvents.isEmpty { turn.relays += fired.relayedEvents }
    append(record, name, notification: row, &turn)
  }

  /// Adds an outcome for apps (rule M6). An item of the inbox is accepted when it is sent.
  ///
  /// - Parameters:
  ///   - row: the row of the recipient.
  ///   - number: the number of the notification; nil for an occurrence that a gate holds.
  private func log(
    _ fired: FiredOccurrence, of row: UInt32, _ number: Int64?, _ turn: inout Turn
  ) {
    guard turn.logsOutcomes else { return }
    let firing = fired.firing
    let outcome = NotificationOutcome(
      row: row, notification: number.map { NotificationID(instance, $0) },
      reminder: fired.message.reminder, category: fired.message.category,
      channels: firing.channels, state: NotificationOutcome.State(firing.result), at: firing.at,
      reasons: firing.trace.isClear ? [] : firing.trace.reasons)
    turn.effects.usage.log(outcome)
  }

  /// Adds the deliveries of a notification to those that the engine cycle dispatches.
  func append(
    _ record: NotificationRecord, _ name: String, notification: Int64, _ turn: inout Turn
  ) {
    for channel in Channel.allCases where record.channels.contains(ChannelSet(channel)) {
      var delivery = Delivery(
        instance: instance, notification: notification, row: record.row,
        recipient: name, channel: channel, isSilent: record.isSilent,
        planned: record.planned, at: record.at, expiry: record.expiry, message: record.message)
      delivery.hints = record.hints
      delivery.key = record.key
      delivery.round = record.round
      delivery.offset = record.offset
      turn.effects.outbox.deliveries.append(consume delivery)
    }
  }

  private func note(
    _ kind: OccurrenceNote.Kind, _ fired: FiredOccurrence, _ name: String, _ notification: Int64?
  ) -> OccurrenceNote {
    let firing = fired.firing
    return OccurrenceNote(
      kind: kind, recipient: name, reminder: fired.message.reminder,
      channels: firing.channels, sinks: outbox.dispatcher.routes.firsts(of: firing.channels),
      notification: notification.map { NotificationID(instance, $0).description },
      reasons: firing.trace.isClear ? [] : firing.trace.reasons, planned: firing.planned,
      runLength: firing.trace.runLength)
  }
}

extension NotificationRecord {
  /// Returns nil for an occurrence that a gate holds.
  init?(_ fired: FiredOccurrence, row: UInt32) {
    let firing = fired.firing
    guard case .finished(let outcome) = firing.result else { return nil }
    self.init(
      row: row, reminder: firing.reminder, key: firing.key, channelGroup: firing.channelGroup,
      planned: firing.planned, at: firing.at, outcome: outcome, channels: firing.channels,
      isSilent: firing.isSilent, trace: firing.trace, expiry: firing.expiry,
      message: fired.message)
    hints = firing.hints
    offset = fired.offset
    hasOtherGroups = firing.hasOtherGroups
    round = firing.round
    opener = firing.opener
    replaced = firing.replaced
  }
}

extension NotificationOutcome.State {
  fileprivate init(_ result: Firing.Result) {
    self =
      switch result {
      case .held: .held
      case .finished(.delivered): .sent
      case .finished(.dropped): .dropped
      case .finished(.bundled): .bundled
      }
  }
}

extension OccurrenceNote.Kind {
  fileprivate init(_ outcome: Outcome) {
    switch outcome {
    case .delivered: self = .delivered
    case .dropped: self = .dropped
    case .bundled: self = .bundled
    }
  }
}
