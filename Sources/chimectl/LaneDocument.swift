import CivilTime
import JSON

/// What the service says of a sink and of what waits for it.
struct LaneDocument {
  enum Breaker: String {
    case closed
    case open
    case halfOpen = "half_open"
  }

  /// What the sink has said since the start of the service.
  struct Answers {
    var delivered: Int64 = 0
    var retried: Int64 = 0
    var rejected: Int64 = 0
    var outages: Int64 = 0
    var orphaned: Int64 = 0
    var setAside: Int64 = 0
  }

  let sink: String
  let waiting: Int64
  let inFlight: Int64
  let retrying: Int64
  let deadLetters: Int64
  let oldestWaiting: Instant?
  let oldestRetry: Instant?
  let nextRetry: Instant?
  let breaker: Breaker
  let failingSince: Instant?
  let nextAttempt: Instant?
  let failure: String?
  let lastFailure: (at: Instant, reason: String)?
  let answers: Answers

  init(_ lane: JSONValue) throws(Failure) {
    sink = try lane.text("sink")
    waiting = try lane.number("waiting")
    inFlight = try lane.number("inFlight")
    retrying = try lane.number("retrying")
    deadLetters = try lane.number("deadLetters")
    oldestWaiting = try lane.optionalInstant("oldestWaiting")
    oldestRetry = try lane.optionalInstant("oldestRetry")
    nextRetry = try lane.optionalInstant("nextRetry")
    breaker = try lane.word("breaker")
    failingSince = try lane.optionalInstant("failingSince")
    nextAttempt = try lane.optionalInstant("nextAttempt")
    failure = lane["failure"]?.stringValue
    lastFailure = try lane.optional("lastFailure") { failure throws(Failure) in
      (try failure.instant("at"), try failure.text("reason"))
    }
    answers = try Answers(lane["answers"] ?? .null)
  }

  /// "open for 12 min".
  func breakerText(now: Instant) -> String {
    guard breaker != .closed else { return "closed" }
    let state = breaker == .open ? "open" : "half open"
    return state + (failingSince.map { " for \(Countdown.length(from: $0, to: now))" } ?? "")
  }
}

extension LaneDocument.Answers {
  fileprivate init(_ answers: JSONValue) throws(Failure) {
    delivered = try answers.number("delivered")
    retried = try answers.number("retried")
    rejected = try answers.number("rejected")
    outages = try answers.number("outages")
    orphaned = try answers.number("orphaned")
    setAside = try answers.number("setAside")
  }
}
