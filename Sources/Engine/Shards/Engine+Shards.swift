package import CivilTime
import Reminders
import Store
import Systemd

/// Calls by the node of a fleet, about the engine's shards and how long the engine may trust that
/// it owns them.
extension Engine {
  /// Acquires shards that this node has claimed.
  ///
  /// - Returns: the shards that the engine works on from now on.
  package func acquire(_ shards: Set<Int>) async throws(ServiceUnavailable) -> Set<Int> {
    try await ask { .acquire(shards, $0) }
  }

  /// Releases shards. Returns when no delivery for them is in flight, so that other nodes may own
  /// the shards.
  package func release(_ shards: Set<Int>) async throws(ServiceUnavailable) {
    try await ask { .release(shards, $0) }
  }

  /// Acquires shards and calls `answer`, for callers outside a task.
  package func acquire(_ shards: Set<Int>, _ answer: @escaping Answer<Set<Int>>) {
    ask({ .acquire(shards, $0) }, answer)
  }

  /// Releases shards and calls `answer`, for callers outside a task.
  package func release(_ shards: Set<Int>, _ answer: @escaping Answer<Void>) {
    ask({ .release(shards, $0) }, answer)
  }

  /// Adopts another configuration and calls `answer`, for callers outside a task.
  package func adopt(_ configuration: RuntimeConfiguration, _ answer: @escaping Answer<Void>) {
    let plannerAnswer: Answer<Planner> = { [self] result in
      if case .success(let planner) = result { setCurrentPlanner(planner) }
      answer(result.map { _ in })
    }
    ask({ .adopt(configuration, $0) }, plannerAnswer)
  }

  /// The shard of a recipient; 0 if the store has no shards.
  package func shard(of recipient: String) -> Int? { snapshots.shard(of: recipient) }

  /// Stops the engine gracefully, like `stop()`.
  ///
  /// - Parameter body: called when the engine has ended, gracefully or not.
  package func stop(_ body: @escaping @Sendable () -> Void) {
    requestQueue.post(.stop { _ in })
    whenEnded { _ in body() }
  }

  /// Ends the engine without another write, because another node may own the shards already.
  /// Deliveries in flight are given up, and waiting requests are refused. Returns at once. The
  /// engine's thread ends when the database server has answered, or when its answer is no longer
  /// awaited.
  package func abandon() {
    trust?.revoke()
    shell.detachSinks()
    requestQueue.post(.abandon)
    requestQueue.progress.retire()
  }

  /// Sets until when the engine may trust that it owns its shards, by the boot clock. After that
  /// instant, the engine does nothing until the next call of this function.
  package func trust(until end: TimeSpan) {
    // Other nodes may have changed data while the trust had expired.
    if trust?.move(to: end) ?? false { refresh() }
  }

  /// Reads tokens and paused sinks again, because other nodes may have changed them.
  package func refresh() { requestQueue.post(.refresh) }
}
