package import CivilTime

/// What a node of several is told: which shards are its own, and for how long it may think so.
extension Engine {
  /// Makes shards this node's that are nobody's.
  ///
  /// - Returns: those that it has got.
  package func acquire(_ shards: Set<Int>) async throws(ServiceUnavailable) -> Set<Int> {
    try await ask { .acquire(shards, $0) }
  }

  /// Gives shards back: returns when nothing of them is on its way here any more, and another may
  /// have them.
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
