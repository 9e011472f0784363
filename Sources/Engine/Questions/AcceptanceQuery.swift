package import CivilTime
package import Reminders
package import Store

/// Determines whether a recipient can accept an event now. The engine decides again when the event
/// arrives.
package struct AcceptanceQuery: EngineQuery {
  package let event: Event

  package init(of event: Event) {
    self.event = event
  }

  package func answer(from questions: Questions, now: Instant) throws(StoreError) -> Bool {
    let planner = questions.planner
    return try questions.readers.read { transaction in
      guard let stored = try transaction.recipient(named: event.recipient) else { return false }
      var recipient = stored.recipient
      recipient.revive(try finishedRequest(of: stored, planner, transaction))
      return (try? recipient.check(event, planner: planner)) != nil
    }
  }

  /// Reads the finished request that a snooze revives; nil if there is none, or if it is no longer
  /// stored.
  private func finishedRequest(
    of stored: StoredRecipient, _ planner: Planner, _ transaction: any StoreReader
  ) throws -> FinishedRequest? {
    guard let order = stored.recipient.finishedRequestOrder(of: event, planner: planner),
      let past = try transaction.events(of: stored.row, from: order, limit: 1).events.first
    else { return nil }
    let request = StoredEvent(
      order: order, received: past.received, source: past.source, identifier: past.identifier,
      type: past.type, time: past.time, isTimeGiven: true, data: past.data)
    let arrivals = try? EventReader(planner: planner).arrivals([request], of: event.recipient)
    return arrivals?.first.map { FinishedRequest($0.event, order: order) }
  }
}
