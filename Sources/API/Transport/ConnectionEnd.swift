/// Why the service, not the client, ended a connection.
enum ConnectionEnd: String, CaseIterable, Sendable {
  /// It was idle, and another was to have its seat.
  case room
  /// Its peer had as many as one may have, all at work.
  case share
  /// All seats were taken, by connections at work.
  case full
  /// Nothing came on it.
  case silent
  /// No further request came on it.
  case idle
  case slowHead = "slow_head"
  case slowBody = "slow_body"
  /// Its client did not read the answers.
  case stalled
}
