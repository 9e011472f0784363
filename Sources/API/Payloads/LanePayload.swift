package import Engine
package import Outbox
package import Reminders

/// A sink and its lane, the queue of its deliveries.
package struct LanePayload: Payload {
  package typealias Value = ServiceStatus.Lane
  package static let shape = PayloadShape(Self())

  package let sink = Member("sink", .text) { $0.sink }
  package let type = Member("type", .text.example("webhook"), "The type in the configuration") {
    $0.type
  }
  package let paused = Member(
    "paused", .boolean, "Whether an operator has paused the sink"
  ) { $0.isPaused }
  package let waiting = Member("waiting", .count, "Deliveries that the sink has not answered yet") {
    $0.waiting
  }
  package let inFlight = Member("inFlight", .count, "Deliveries dispatched and not answered") {
    $0.inFlight
  }
  package let retrying = Member(
    "retrying", .count, "Deliveries that wait for another attempt; counted up to 10,000"
  ) { $0.retrying }
  package let deadLetters = Member("deadLetters", .count, "Counted up to 10,000") {
    $0.deadLetters
  }
  package let oldestWaiting = Member(
    "oldestWaiting", orNull: .instant, "When the oldest waiting delivery passed the gates"
  ) { $0.oldestWaiting }
  package let oldestRetry = Member(
    "oldestRetry", orNull: .instant,
    "When the oldest of the 10,000 retries that are due first passed the gates"
  ) { $0.oldestRetry }
  package let nextRetry = Member("nextRetry", orNull: .instant) { $0.nextRetry }
  package let unavailable = Member(
    "unavailable", optional: .boolean,
    "True if the sink could not be created, for example without its secret; a reload tries again"
  ) { $0.isUnavailable ? true : nil }
  package let breaker = Member("breaker", .word) { $0.breaker }
  package let failingSince = Member("failingSince", orNull: .instant) { $0.failingSince }
  package let nextAttempt = Member(
    "nextAttempt", orNull: .instant, "The next attempt; null unless the breaker is open"
  ) { $0.nextAttempt }
  package let failure = Member("failure", orNull: .text, "The sink's error, while it fails") {
    $0.failure
  }
  package let lastFailure = Member("lastFailure", orNull: .payload(SinkFailurePayload.self)) {
    $0.lastFailure
  }
  package let answers = Member("answers", .payload(SinkAnswersPayload.self)) { $0.answers }
  package let latency = Member(
    "latency", .payload(HistogramPayload.self),
    "Seconds between a batch's dispatch and its answer"
  ) { $0.answers.latency }
  package let lastHour = Member("lastHour", .payload(LastHourPayload.self)) { $0 }
}

package struct SinkFailurePayload: Payload {
  package typealias Value = SinkFailure
  package static let shape = PayloadShape(Self())

  package let at = Member("at", .instant) { $0.at }
  package let reason = Member("reason", .text) { $0.reason }
}

/// A sink's answers, counted since the service started.
package struct SinkAnswersPayload: Payload {
  package typealias Value = LaneCounters
  package static let shape = PayloadShape(Self())

  package let delivered = Member("delivered", .count) { $0.delivered }
  package let retried = Member("retried", .count) { $0.retried }
  package let rejected = Member("rejected", .count) { $0.rejected }
  package let outages = Member("outages", .count, "Batches that failed as a whole") {
    $0.outages
  }
  package let orphaned = Member(
    "orphaned", .count,
    "Deliveries in flight when the service last ended, which were attempted again"
  ) { $0.orphaned }
  package let setAside = Member(
    "setAside", .count, "Deliveries quarantined, because the service died while they were in flight"
  ) { $0.quarantined }
}

/// A sink's answers in the last hour, from memory; /v1/activity has a whole day.
package struct LastHourPayload: Payload {
  package typealias Value = ServiceStatus.Lane
  package static let shape = PayloadShape(Self())

  package let delivered = Member(
    "delivered", .list(.count), "Successful deliveries in each of 60 minutes, the oldest first"
  ) { $0.delivered }
  package let failed = Member(
    "failed", .list(.count),
    "Deliveries rejected or delayed for another attempt, in each of the same minutes"
  ) {
    $0.failed
  }
}

package struct HistogramPayload: Payload {
  package typealias Value = Histogram
  package static let shape = PayloadShape(Self())

  package let bounds = Member(
    "bounds", .list(.seconds), "The upper bounds of the buckets, ascending"
  ) { $0.bounds }
  package let counts = Member(
    "counts", .list(.count), "The count of each bucket; the last is beyond all bounds"
  ) { $0.counts }
}
