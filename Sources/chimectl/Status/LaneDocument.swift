import API
import CivilTime
import Outbox

/// The status of a lane, the queue of a sink's deliveries.
struct LaneDocument {
  /// The numbers of the sink's answers since the start of the service, by kind.
  struct Answers {
    var delivered: Int64 = 0
    var retried: Int64 = 0
    var rejected: Int64 = 0
    var outages: Int64 = 0
    var orphaned: Int64 = 0
    var quarantined: Int64 = 0
  }

  let sink: String
  let isPaused: Bool
  /// The number of deliveries that the sink has not answered yet.
  let waiting: Int64
  /// The number of deliveries that were dispatched and not answered.
  let inFlight: Int64
  /// The number of deliveries that wait for another attempt, up to 10,000.
  let retrying: Int64
  /// The number of dead letters, up to 10,000.
  let deadLetters: Int64
  /// When the oldest waiting delivery passed the gates.
  let oldestWaiting: Instant?
  /// When the oldest retry passed the gates.
  let oldestRetry: Instant?
  /// When the next retry is due.
  let nextRetry: Instant?
  let breaker: BreakerState
  /// Since when the sink has failed; nil while it does not.
  let failingSince: Instant?
  /// When the sink is tried again; nil unless the breaker is open.
  let nextAttempt: Instant?
  /// The sink's error while it fails.
  let failure: String?
  /// Whether the sink could not be created; only a reload tries again.
  let isUnavailable: Bool
  /// When and why the sink last did not accept a delivery, since the service started.
  let lastFailure: (at: Instant, reason: String)?
  let answers: Answers
  /// The latency of batches, from dispatch to answer.
  let latency: DurationHistogram

  init(_ lane: Answer<LanePayload>) throws(CommandError) {
    sink = try lane.sink
    isPaused = try lane.paused
    waiting = try lane.waiting
    inFlight = try lane.inFlight
    retrying = try lane.retrying
    deadLetters = try lane.deadLetters
    oldestWaiting = try lane.oldestWaiting
    oldestRetry = try lane.oldestRetry
    nextRetry = try lane.nextRetry
    breaker = try lane.breaker
    failingSince = try lane.failingSince
    nextAttempt = try lane.nextAttempt
    failure = try lane.failure
    isUnavailable = try lane.unavailable ?? false
    lastFailure = try lane.lastFailure.map { failure throws(CommandError) in
      (try failure.at, try failure.reason)
    }
    answers = try Answers(lane.answers)
    latency = try DurationHistogram(lane.latency)
  }

  /// Whether the sink is down or disabled.
  var isFailing: Bool { breaker != .closed || isDisabled }

  /// Whether the sink has disabled itself: it rejects each delivery, and its breaker stays closed.
  var isDisabled: Bool { breaker == .closed && failure != nil }

  /// Returns a text such as "open for 12 min".
  func breakerText(now: Instant) -> String {
    if isPaused { return "paused" }
    guard breaker != .closed else { return isDisabled ? "disabled" : "closed" }
    let state = breaker == .open ? "open" : "half open"
    return state + (failingSince.map { " for \(Countdown.length(from: $0, to: now))" } ?? "")
  }
}

extension LaneDocument.Answers {
  fileprivate init(_ answers: Answer<SinkAnswersPayload>) throws(CommandError) {
    delivered = try answers.delivered
    retried = try answers.retried
    rejected = try answers.rejected
    outages = try answers.outages
    orphaned = try answers.orphaned
    quarantined = try answers.setAside
  }
}
