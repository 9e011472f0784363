package import CivilTime
package import Reminders
package import Store

/// Answers queries without the engine's thread (rule H6). It reads one snapshot of the store for
/// each query, and the view that the engine has published.
///
/// Thread-safe. Every query that a caller sends after the answer to a request sees the effects of
/// that request. The answer follows the commit, and the snapshot begins after the query's arrival.
package struct Questions: Sendable {
  let readers: any StoreSnapshots
  let published: PublishedView
  /// The streams of recipients.
  let watchers: Watchers
  let tokens: TokenTable
  /// The store's own name, with which the ids of notifications begin.
  let instance: String
  /// The damage that queries have met.
  let damage = FoundDamage()
  /// The result of the latest nightly audit.
  let lastAudit = LastAudit()
  /// The state of the process around the engine; nil for the engine's own status line and in tests.
  var process: ProcessView?

  /// The current planner: catalog, zones and default zone.
  var planner: Planner { published.view.planner }

  /// Wakes the stream of `signal` at possible changes of the status, until the watch is released.
  package func watchStatus(signal: StreamSignal) -> ViewWatch {
    published.watch(signal: signal)
  }

  /// Ends all streams.
  func endWatches() {
    watchers.endAll()
    published.endWatches()
  }

  /// The public id of a notification of this store.
  func identifier(of notification: Int64) -> String {
    NotificationID(instance, notification).description
  }

  /// The number of a notification by its public id; nil if the id is invalid or another store's.
  func number(of identifier: String) -> Int64? {
    NotificationID(identifier, of: instance)?.number
  }

  /// Answers a query on this thread.
  ///
  /// - Throws: a refusal if the store cannot be read.
  package func answer<Query: EngineQuery>(
    _ query: Query, now: Instant
  ) throws(ServiceUnavailable) -> Query.Value {
    do {
      return try query.answer(from: self, now: now)
    } catch {
      damage.note(error)
      throw ServiceUnavailable(forQuery: error)
    }
  }
}

extension Questions {
  /// Creates an instance for a store that no engine serves: without sinks, streams and tokens.
  package init(
    of readers: any StoreSnapshots, instance: String, planner: Planner, started: Instant
  ) {
    self.init(
      readers: readers, published: PublishedView(EngineView(planner: planner, started: started)),
      watchers: Watchers(), tokens: TokenTable(), instance: instance)
  }
}
