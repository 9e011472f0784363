package import CivilTime
package import Reminders

/// Recipients come from another node, or go to one, with what is on its way to them.
extension Dispatcher {
  /// The notification behind which each sink has been handed nothing of its queue.
  package var handedPlaces: [String: Int64] {
    Dictionary(
      lanes.map { state in
        let last = state.hasQueueWithSink ? state.batch.last?.notification : nil
        return (state.sink, last ?? state.lane.place)
      }, uniquingKeysWith: max)
  }

  /// The numbers of the lanes whose sinks have something for some recipients.
  package func lanes(with rows: Set<UInt32>) -> Set<Int> {
    Set((lanes + leaving).filter { $0.hasSomething(for: rows) }.map(\.number))
  }

  /// Those of some lanes whose sinks still have something for some recipients.
  package func open(among numbers: Set<Int>, for rows: Set<UInt32>) -> Set<Int> {
    numbers.filter { lane($0)?.hasSomething(for: rows) == true }
  }

  /// What waits in the queues for some recipients, and is not with a sink.
  package func waiting(for rows: Set<UInt32>) -> [Delivery] {
    lanes.flatMap { state in
      state.lane.queue[state.countOfQueueWithSink...].filter { rows.contains($0.row) }
    }
  }

  /// Counts what other nodes have left with their sinks, and goes by the retries that there are.
  ///
  /// - Parameter nextRetries: when the next retry of each sink is due.
  package mutating func take(_ orphans: Orphans, nextRetries: [String: Instant]) {
    count(orphans)
    note(nextRetries)
  }

  /// - Parameter nextRetries: when the next retry of each sink is due.
  package mutating func note(_ nextRetries: [String: Instant]) {
    for index in lanes.indices { lanes[index].nextRetry = nextRetries[lanes[index].sink] }
  }
}
