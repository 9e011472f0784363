package import CivilTime
package import Reminders

/// Handles the deliveries of recipients that move between nodes.
extension Dispatcher {
  /// The number of the notification up to which each sink's queue was dispatched.
  package var dispatchedCursors: [String: Int64] {
    Dictionary(
      lanes.map { state in
        let last = state.isQueueInFlight ? state.batch.last?.notification : nil
        return (state.sink, last ?? state.lane.cursor)
      }, uniquingKeysWith: max)
  }

  /// Returns the numbers of all lanes that have deliveries to these recipients in flight.
  package func lanes(with rows: Set<UInt32>) -> Set<Int> {
    Set((lanes + leaving).filter { $0.hasInFlight(for: rows) }.map(\.number))
  }

  /// Returns the numbers of the given lanes that have deliveries to these recipients in flight.
  package func lanesInFlight(among numbers: Set<Int>, for rows: Set<UInt32>) -> Set<Int> {
    numbers.filter { lane($0)?.hasInFlight(for: rows) == true }
  }

  /// Returns the queued deliveries to these recipients that are not in flight.
  package func waiting(for rows: Set<UInt32>) -> [Delivery] {
    lanes.flatMap { state in
      state.lane.queue[state.queueInFlightCount...].filter { rows.contains($0.row) }
    }
  }

  /// Counts the orphans, which are deliveries that other nodes left in flight, and sets the due
  /// times of retries.
  ///
  /// - Parameter nextRetries: when the next retry of each sink is due.
  package mutating func acquire(_ orphans: Orphans, nextRetries: [String: Instant]) {
    count(orphans)
    setNextRetries(nextRetries)
  }

  /// Sets the due times of the lanes' next retries.
  ///
  /// - Parameter nextRetries: when the next retry of each sink is due; sinks without retries are
  ///   missing.
  package mutating func setNextRetries(_ nextRetries: [String: Instant]) {
    for index in lanes.indices { lanes[index].nextRetry = nextRetries[lanes[index].sink] }
  }
}
