package import CivilTime

/// What a node of several is told: which shards are its own, and for how long it may think so.
extension Engine {
  /// Takes over shards that this node has claimed.
  ///
  /// - Returns: those of them that it works on from now on.
  package func acquire(_ shards: Set<Int>) async throws(ServiceUnavailable) -> Set<Int> {
    try await ask { .acquire(shards, $0) }
  }

  /// Lets go of shards: returns when nothing of them is on its way here any more, and they may be
  /// freed for others.
  package func release(_ shards: Set<Int>) async throws(ServiceUnavailable) {
    try await ask { .release(shards, $0) }
  }

  /// Until when shards can be taken for this node's, by the boot clock; then it does nothing until
  /// it is told another time.
  package func trust(until end: TimeSpan) {
    // What others have changed meanwhile is looked at again.
    if trust?.move(to: end) ?? false { refresh() }
  }

  /// Others may have changed tokens, or paused sinks.
  package func refresh() { inbox.post(.refresh) }
}
