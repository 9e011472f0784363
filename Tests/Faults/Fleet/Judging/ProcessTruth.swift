import CivilTime
import Fleet

/// The true state of a process, independent of the process's own view.
struct ProcessTruth {
  /// The time at which the last successful heartbeat was sent.
  private var lastHeartbeat: TimeSpan?
  /// The time since which the process has had answers from the server without a gap.
  private var contactStart: TimeSpan?
  /// The time of the last answer.
  private var lastAnswer: TimeSpan?
  /// The last time at which the process was paused, dead or cut off from the server.
  private(set) var lastTrouble: TimeSpan = .zero

  /// Records an answer of the server.
  ///
  /// - Parameters:
  ///   - sent: the time at which the process sent the request.
  ///   - now: the time at which the answer arrived.
  mutating func recordAnswer(
    _ answer: FleetAnswer, sent: TimeSpan, now: TimeSpan, _ times: FleetTimes
  ) {
    switch answer {
    case .joined: (lastHeartbeat, contactStart, lastAnswer) = (sent, now, now)
    case .heartbeat(true, _): lastHeartbeat = sent
    default: break
    }
    if let lastAnswer, now - lastAnswer > times.trust { contactStart = now }
    lastAnswer = now
  }

  /// Records that the process was paused, dead or cut off from the server.
  mutating func recordTrouble(at now: TimeSpan) { lastTrouble = max(lastTrouble, now) }

  /// Returns whether the process may act, because its last heartbeat is recent enough.
  func isTrusted(at now: TimeSpan, _ times: FleetTimes) -> Bool {
    lastHeartbeat.map { now < $0 + times.lease - .seconds(1) } ?? false
  }

  /// Returns whether the process has had contact with the server for at least a time span.
  func hasContact(for span: TimeSpan, at now: TimeSpan) -> Bool {
    contactStart.map { now - $0 >= span } ?? false
  }
}
