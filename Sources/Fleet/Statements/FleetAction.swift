package import CivilTime

/// What a node's shell is to do.
package enum FleetAction: Hashable, Sendable {
  /// To connect, after a while, as a new random incarnation.
  case connect(after: TimeSpan)
  /// To ask this of the database, and to tell the answer with when it was sent and there.
  case send(FleetStatement)
  /// To make an engine that writes as this incarnation and has no shard yet.
  case serve(Incarnation)
  /// For the engine and the lanes, which ask it before each turn and attempt.
  case trust(Trust)
  /// For the engine: to load these shards and to serve them.
  case acquire([Tenure])
  /// For the engine: to let go of it when nothing of it is due or with a sink, and to say so.
  case release(Tenure)
  /// To end the engine as it is, writing nothing, and to close all connections: what it has in
  /// memory may not be what is committed.
  case discard
  /// For the engine: to finish what is under way, and to say so.
  case end
  /// The node has left its fleet.
  case finish
  /// To tell operators.
  case note(FleetNote)
}

/// Why a node begins anew.
package enum NewStartReason: Hashable, Sendable {
  /// The connection ended; what was under way may have been done or not.
  case connectionLost
  /// The connection is there, and the server has not answered in time.
  case serverSilent
  /// Another session of the server has answered than the one that was connected to.
  case pooled
  /// Others have taken over.
  case fenced
  /// The store says that it has other shards than it knows of.
  case holdingsDiffer
  /// The engine cannot go on: its connection ended, or a commit is unknown.
  case engineFailed
}
