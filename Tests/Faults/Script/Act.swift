import CivilTime

/// An action on the service.
enum Act {
  /// The app reports the events up to now.
  case report
  /// The app repeats some events.
  case repeatSome
  /// The app uses an event's identity for another event.
  case conflict
  /// The app reports an event from before an erasure.
  case reportErased
  /// A query.
  case ask
  /// The process is killed, or the power is cut, after some disk calls.
  case die(calls: Int, Death)
  /// The disk fails at a call of this kind, counted from now (1 is the next), once or from then on.
  /// `Death` is the kind of crash if the process then dies.
  case fail(FaultyCall, at: Int, isPermanent: Bool, Death)
  /// All faults end.
  case endFaults
  /// The disk is full until the service has noticed it.
  case fill
  /// A reload with other lanes.
  case reload
  case backUp
  /// The wall clock is wrong for a while. After five minutes it is trusted.
  case leap(by: TimeSpan, lasting: TimeSpan)
  /// The sink fails in some way until the next trouble; nil ends the trouble.
  case trouble(SinkTrouble?)
  /// The operator pauses or resumes the sink.
  case pause(Bool)
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
  case outage, retry, rejection, silence, wrongCount
  /// The sink answers part of a batch and keeps working on the rest.
  case stragglers
  /// A receiver answers the real client with random answers of a grammar.
  case answers

  /// The troubles of a simulated sink.
  static let simulated: [SinkTrouble] = [
    .outage, .retry, .rejection, .silence, .wrongCount, .stragglers,
  ]
}
