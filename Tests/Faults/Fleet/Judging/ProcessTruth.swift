import CivilTime
import Fleet

/// The true state of a process, independent of the process's own view.
struct ProcessTruth {
  /// The time at which the last successful heartbeat was sent.
  private var heartbeat: TimeSpan?
  /// The time since which the process has had answers from the server without a gap.
  private var contact: TimeSpan?
  /// The time of the last answer.
  private var lastAnswer: TimeSpan?
  /// The last time at which the process was paused, dead or cut off from the server.
  private(set) var lastTrouble: TimeSpan = .zero

  mutating func recordAnswer(
    _ answer: FleetAnswer, sent: TimeSpan, now: TimeSpan, _ times: FleetTimes
  ) {
    switch answer {
    case .joined: (heartbeat, contact, lastAnswer) = (sent, now, now)
    case .heartbeat(true, _): heartbeat = sent
    default: break
    }
    if let lastAnswer, now - lastAnswer > times.trust { contact = now }
    lastAnswer = now
  }

  mutating func recordTrouble(at now: TimeSpan) { lastTrouble = max(lastTrouble, now) }

  func isTrusted(at now: TimeSpan, _ times: FleetTimes) -> Bool {
    heartbeat.map { now < $0 + times.lease - .seconds(1) } ?? false
  }

  func hasContact(for span: TimeSpan, at now: TimeSpan) -> Bool {
    contact.map { now - $0 >= span } ?? false
  }
}
