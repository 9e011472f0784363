import CivilTime

/// What is done to the service at an instant.
enum Act {
  /// The app reports what has happened up to now.
  case report
  /// It reports some of it once more.
  case repeatSome
  /// It uses an event's identity for another event.
  case conflict
  /// It tells of something older than an erasure.
  case bringBack
  /// Somebody asks something.
  case ask
  /// The process is killed, or the power cut, some calls of its disk later.
  case die(calls: Int, Death)
  /// The disk fails at a call of a kind, once or from then on; and what the end of the process
  /// leaves on it.
  case fail(FaultyCall, after: Int, isForGood: Bool, Death)
  /// Nothing fails any more.
  case mend
  /// The disk is full, until the service has said so.
  case fill
  /// Another configuration with other lanes.
  case reload
  case backUp
  /// The wall clock is wrong for a while, and right again; beyond five minutes it is believed.
  case leap(by: TimeSpan, lasting: TimeSpan)
  /// The sink takes nothing, or something else goes wrong with it, until it is called off.
  case trouble(SinkTrouble?)
  /// The operator wants the sink paused, or to go on.
  case pause(Bool)
  case restart
}

/// How a process ends that did not mean to.
enum Death: CaseIterable {
  case killed
  /// What was not synced is gone.
  case powerCut
  /// What was not synced is there in part.
  case tornPowerCut
}

/// The calls to the disk that can fail, with what SQLite is told then.
enum FaultyCall: CaseIterable {
  case open, read, write, sync, truncate, size, share, access
  /// Whatever the call is.
  case any
}

/// What a sink does instead of delivering.
enum SinkTrouble {
  case outage, retry, rejection, silence, wrongCount
  /// It answers for some, and goes on with the others until it has had enough.
  case stragglers
  /// A receiver says to the sink's real client what a grammar has.
  case answers

  /// Those of a sink that is simulated.
  static let simulated: [SinkTrouble] = [
    .outage, .retry, .rejection, .silence, .wrongCount, .stragglers,
  ]
}
