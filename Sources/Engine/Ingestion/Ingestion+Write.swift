import Reminders
import Store

extension Ingestion {
  /// Compares the version, ingests the events and computes the answer in one engine cycle, so that
  /// the answer shows exactly the write's effects.
  func perform(_ write: Write, _ turn: inout Turn) throws -> WriteReceipt {
    guard let name = write.events.first?.recipient else {
      return .refused(Refusal(path: "", "changes nothing; give at least one preference"))
    }
    var recipient =
      try person(named: name, &turn)?.stored.recipient
      ?? Recipient(name: name, now: turn.now)
    for event in write.events {
      recipient.revive(try finishedRequest(of: event, by: recipient, turn))
    }
    let version = recipient.facts.preferencesVersion
    if let expected = write.version, expected != version { return .outdated(version: version) }
    do {
      try recipient.check(write.events, planner: turn.planner)
    } catch {
      turn.effects.counters.count(.refused(error))
      return .refused(error)
    }
    if let refusal = try dismiss(write, of: name, &turn) { return .refused(refusal) }
    let consequences = recipient.consequences(
      of: write.events, now: turn.now, planner: turn.planner)
    for event in recipient.notBeforeCurrentChanges(write.events) { _ = try ingest(event, &turn) }
    try foldArrivals(&turn)
    let updatedRecipient = try person(named: name, &turn)?.stored.recipient ?? recipient
    return .done(consequences, version: updatedRecipient.facts.preferencesVersion)
  }

  /// Dismisses the notification that the write's snooze names; its occurrence becomes pending again
  /// (rule N8). If two writes dismiss the same notification, the second write is refused.
  ///
  /// - Returns: the refusal; nil if the notification was dismissed, or if the write dismisses none.
  private func dismiss(_ write: Write, of name: String, _ turn: inout Turn) throws -> Refusal? {
    guard let identifier = write.dismissed else { return nil }
    let receipt = try perform(.dismiss(identifier), of: name, &turn)
    guard receipt?.count ?? 0 > 0 else {
      return Refusal(path: Write.dismissedPath, "was not delivered, or is dismissed already")
    }
    try recordDigestSnooze(identifier, of: name, &turn)
    return nil
  }
}
