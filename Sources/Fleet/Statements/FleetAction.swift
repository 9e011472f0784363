package import CivilTime

/// An action that a node's shell has to carry out.
package enum FleetAction: Hashable, Sendable {
  /// Connect after a delay, as a new random incarnation.
  case connect(after: TimeSpan)
  /// Send the statement to the database, and report the answer with the times of sending and
  /// receiving.
  case send(FleetStatement)
  /// Open an engine that writes as this incarnation and has no shards yet.
  case serve(Incarnation)
  /// Give the trust to the engine, which checks it before each cycle, and to the lanes, which check
  /// it before each attempt.
  case trust(Trust)
  /// Make the engine load and serve these shards.
  case acquire([Tenure])
  /// Make the engine release the shard when none of the shard's occurrences is due or in flight,
  /// and report the release.
  case release(Tenure)
  /// Abort the engine without writing anything, and close all connections: the engine's memory may
  /// differ from the store.
  case discard
  /// Make the engine finish its current work, and report its end.
  case end
  /// Finish: the node has left its fleet.
  case finish
  /// Report to operators.
  case note(FleetNote)
}

/// Why a node restarts as a new incarnation.
package enum RejoinReason: Hashable, Sendable {
  /// The connection ended; the current statement may or may not have been committed.
  case connectionLost
  /// The connection exists, but the server did not answer in time.
  case serverSilent
  /// The answer came from a session of the server that is not the connected one.
  case pooled
  /// Other nodes have evicted the node.
  case fenced
  /// The shards that the store assigns to the node differ from those that the node knows.
  case holdingsDiffer
  /// The engine failed: the engine's connection ended, or the result of a commit is unknown.
  case engineFailed
}
