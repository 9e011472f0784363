package import Engine
package import Outbox
package import Reminders

/// A sink, and what is on its way to it.
package struct LanePayload: Payload {
  package typealias Value = ServiceStatus.Lane
  package static let shape = PayloadShape(Self())

  package let sink = Member("sink", .text) { $0.sink }
  package let type = Member("type", .text.example("webhook"), "As the configuration calls it") {
    $0.type
  }
  package let paused = Member(
    "paused", .boolean, "Whether it is handed nothing, as an operator wishes"
  ) { $0.isPaused }
  package let waiting = Member("waiting", .count, "Decided, and not answered for by the sink") {
    $0.waiting
  }
  package let inFlight = Member("inFlight", .count, "Of these, with the sink") { $0.inFlight }
  package let retrying = Member("retrying", .count) { $0.retrying }
  package let deadLetters = Member("deadLetters", .count) { $0.deadLetters }
  package let oldestWaiting = Member("oldestWaiting", orNull: .instant, "When it was decided") {
    $0.oldestWaiting
  }
  package let oldestRetry = Member("oldestRetry", orNull: .instant, "When it was decided") {
    $0.oldestRetry
  }
  package let nextRetry = Member("nextRetry", orNull: .instant) { $0.nextRetry }
  package let breaker = Member("breaker", .word) { $0.breaker }
  package let failingSince = Member("failingSince", orNull: .instant) { $0.failingSince }
  package let nextAttempt = Member("nextAttempt", orNull: .instant, "While the breaker is open") {
    $0.nextAttempt
  }
  package let failure = Member("failure", orNull: .text, "What the sink said, while it fails") {
    $0.failure
  }
  package let lastFailure = Member("lastFailure", orNull: .payload(SinkFailurePayload.self)) {
    $0.lastFailure
  }
  package let answers = Member("answers", .payload(SinkAnswersPayload.self)) { $0.answers }
  package let latency = Member(
    "latency", .payload(HistogramPayload.self),
    "How many seconds batches were with the sink that it answered for"
  ) { $0.answers.latency }
  package let lastHour = Member("lastHour", .payload(LastHourPayload.self)) { $0 }
}

package struct SinkFailurePayload: Payload {
  package typealias Value = SinkFailure
  package static let shape = PayloadShape(Self())

  package let at = Member("at", .instant) { $0.at }
  package let reason = Member("reason", .text) { $0.reason }
}

/// Since the start.
package struct SinkAnswersPayload: Payload {
  package typealias Value = LaneCounters
  package static let shape = PayloadShape(Self())

  package let delivered = Member("delivered", .count) { $0.delivered }
  package let retried = Member("retried", .count) { $0.retried }
  package let rejected = Member("rejected", .count) { $0.rejected }
  package let outages = Member("outages", .count, "Batches of which the sink took nothing") {
    $0.outages
  }
  package let orphaned = Member(
    "orphaned", .count, "With the sink when the service last ended, and attempted again"
  ) { $0.orphaned }
  package let setAside = Member(
    "setAside", .count, "Dead letters since the start, for the service died of them"
  ) { $0.setAside }
}

/// In memory, as /v1/activity has it for a day.
package struct LastHourPayload: Payload {
  package typealias Value = ServiceStatus.Lane
  package static let shape = PayloadShape(Self())

  package let delivered = Member(
    "delivered", .list(.count), "In each of 60 minutes, the oldest first"
  ) { $0.delivered }
  package let failed = Member("failed", .list(.count), "To be tried again, or rejected") {
    $0.failed
  }
}

package struct HistogramPayload: Payload {
  package typealias Value = Histogram
  package static let shape = PayloadShape(Self())

  package let bounds = Member("bounds", .list(.seconds), "Ascending") { $0.bounds }
  package let counts = Member(
    "counts", .list(.count), "For each bound how many it is the lowest for; last the others"
  ) { $0.counts }
}
