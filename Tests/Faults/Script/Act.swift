import CivilTime

/// An action on the service.
enum Act {
  /// The app begins to report the events up to now.
  case report
  /// The app repeats some events.
  case repeatSome
  /// The app uses an event's identity for another event.
  case conflict
  /// The app reports an event from before an erasure.
  case reportErased
  /// A client runs a random query.
  case ask
  /// The process is killed, or the power is cut, after some disk calls.
  case die(calls: Int, Death)
  /// A call of a kind fails. Calls are counted from now, and 1 is the next. If `isPermanent`, all
  /// later calls of the kind fail too. `Death` is the kind of crash if the process then dies.
  case fail(FaultyCall, at: Int, isPermanent: Bool, Death)
  /// All faults end.
  case endFaults
  /// The disk is full until the service has noticed it.
  case fill
  /// The operator reloads the configuration, which may replace the lane.
  case reload
  /// The operator makes a backup.
  case backUp
  /// The wall clock is wrong for a while. After five minutes it is trusted.
  case leap(by: TimeSpan, lasting: TimeSpan)
  /// The sink fails in some way until the next trouble; nil ends the trouble.
  case trouble(SinkTrouble?)
  /// The operator pauses or resumes the sink.
  case pause(Bool)
  /// The operator restarts the service.
  case restart
}

/// A kind of crash.
enum Death: CaseIterable {
  case killed
  /// Unsynced writes are lost.
  case powerCut
  /// Some unsynced writes are lost.
  case tornPowerCut
}

/// The disk calls that can fail with an SQLite error.
enum FaultyCall: CaseIterable {
  case open, read, write, sync, truncate, size, share, access
  /// Any call.
  case any
}

/// The ways in which a sink fails.
enum SinkTrouble {
  /// The sink accepts no batch.
  case outage
  /// The sink requests a retry of each delivery.
  case retry
  /// The sink rejects each delivery.
  case rejection
  /// The sink does not answer.
  case silence
  /// The sink receives the deliveries, but its answer has no result for them.
  case wrongCount
  /// The sink answers part of a batch and keeps working on the rest.
  case stragglers
  /// A receiver gives the real client random answers that a grammar generates.
  case answers

  /// The troubles of a simulated sink.
  static let simulated: [SinkTrouble] = [
    .outage, .retry, .rejection, .silence, .wrongCount, .stragglers,
  ]
}
