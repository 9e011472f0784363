import CivilTime
import Outbox
import Reminders
import Store

/// Recipients that move to another node (rule F2). The engine stops ingesting and firing for them
/// at once. The engine gives their shards back when no delivery to these recipients is in flight,
/// so that nothing is sent twice. Deliveries that wait are left to the next owner.
extension EngineCore {
  /// Begins to release shards, and answers when they are given back.
  func release(
    _ wanted: Set<Int>, now: Instant, _ answer: @escaping Answer<Void>
  ) throws(StoreError) {
    let leaving = wanted.filter { shards.ownership.contains($0) }
    guard case .shards = shards.ownership, !leaving.isEmpty else { return join(wanted, answer) }
    let cursors = outbox.dispatcher.dispatchedCursors
    let (recipients, nextRetries) = try store.commit { transaction in
      var recipients: [(row: UInt32, pending: Int)] = []
      try transaction.retire(leaving, behind: cursors, now: now)
      try transaction.forEachSchedule(of: leaving) { recipients.append(($0, $1.pending)) }
      return (recipients, try transaction.nextRetries(of: outbox.dispatcher.sinks))
    }
    remove(recipients, of: leaving, now: now, answer)
    outbox.setNextRetries(nextRetries)
  }

  /// Answers when the earlier release that includes these shards has ended; at once if there is no
  /// such release.
  private func join(_ wanted: Set<Int>, _ answer: @escaping Answer<Void>) {
    let index = shards.departures.firstIndex { !$0.shards.isDisjoint(with: wanted) }
    guard let index else { return answer(.success(())) }
    shards.departures[index].answers.append(answer)
  }

  /// Removes shards and their recipients from memory, and begins their departure.
  private func remove(
    _ recipients: [(row: UInt32, pending: Int)], of leaving: Set<Int>, now: Instant,
    _ answer: @escaping Answer<Void>
  ) {
    let rows = Set(recipients.map(\.row))
    shards.remove(leaving)
    shards.departures.append(
      OwnedShards.Departure(
        shards: leaving, rows: rows, lanes: outbox.dispatcher.lanes(with: rows), answers: [answer]))
    schedule.remove(recipients)
    outbox.release(shards: leaving, rows: rows)
    publish(now: now)
    watchers.end(rows)
  }

  /// Gives back the shards without deliveries in flight.
  func concludeDepartures(now: Instant) throws(StoreError) {
    while let index = nextDeparture {
      let departure = shards.departures[index]
      // Queued deliveries that no sink has are left to the next owner.
      let queued = outbox.dispatcher.waiting(for: departure.rows)
      try store.commit { transaction in
        var changes = DeliveryChanges()
        for delivery in queued { changes.requeue(delivery) }
        try transaction.save(changes)
        try transaction.release(departure.shards)
      }
      shards.departures.remove(at: index)
      outbox.forget(departure.rows)
      if departure.shards.contains(EngineOutbox.analyticsShard) {
        outbox.routeAnalytics(from: [:], now: now)
      }
      for answer in departure.answers { answer(.success(())) }
    }
  }

  /// The index of a departure without deliveries in flight; nil if there is none.
  var nextDeparture: Int? {
    shards.departures.firstIndex { departure in
      outbox.dispatcher.lanesInFlight(among: departure.lanes, for: departure.rows).isEmpty
        && (outbox.dispatcher.hasNoAnalyticsBatch
          || !departure.shards.contains(EngineOutbox.analyticsShard))
    }
  }
}
