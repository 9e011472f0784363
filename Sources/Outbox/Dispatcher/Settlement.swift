import CivilTime
import Reminders
import Store

/// Decides the effects of a sink's answers, one delivery after the other. A delivery that was not
/// accepted gets another attempt, the next sink or the next channel, or becomes a dead letter
/// (rule D2).
struct Settlement {
  /// The next step of a delivery after an attempt.
  enum Course: Equatable {
    /// The delivery has ended.
    case ended
    /// The same sink makes another attempt.
    case wait(until: Instant, reason: String)
    /// The next sink or channel takes over; if there is none, the delivery becomes a dead letter.
    case moveOn(reason: String)
  }

  private let routes: Routes
  private let now: Instant
  private var knowledge: DeliveryKnowledge
  /// The sinks in an outage. A fallback does not wait for a channel on which one of these sinks
  /// sends.
  private let failing: Set<String>
  var effects = OutboxEffects()

  init(
    _ routes: Routes, _ knowledge: DeliveryKnowledge, failing: Set<String> = [], now: Instant
  ) {
    (self.routes, self.knowledge, self.failing, self.now) = (routes, knowledge, failing, now)
    effects.usage.collectsOutcomes = routes.logsOutcomes
  }

  /// Returns the next step of a delivery after a sink's verdict.
  ///
  /// - Parameter retry: the delivery, whose attempts include the attempt that got the verdict.
  func course(of retry: Retry, _ verdict: SinkAnswer.Verdict) -> Course {
    switch verdict {
    case .delivered: return .ended
    case .rejected(let reason): return .moveOn(reason: reason)
    case .retry(let requested, let reason):
      let delivery = retry.delivery
      // If the next attempt would be too late, another sink may still be in time.
      guard routes.carries(delivery.channel, by: retry.sink),
        let due = RetrySchedule.next(
          after: retry.attempts, requested: requested, notification: delivery.notification,
          now: now),
        due <= delivery.expiry
      else { return .moveOn(reason: reason) }
      return .wait(until: due, reason: reason)
    }
  }

  /// Returns whether the sink of a retry is the last of its route.
  func isLast(_ retry: Retry) -> Bool {
    routes.next(after: retry.sink, on: retry.delivery.channel) == nil
  }

  /// Records a delivery that a sink has accepted, before other deliveries of the batch are decided.
  mutating func recordDelivered(_ delivery: Delivery) {
    knowledge.changeReach(of: delivery) { $0.recordDelivered(on: delivery.channel) }
    effects.usage.add(.delivered, delivery, at: now)
  }

  /// Records the next step of a delivery after a sink's verdict.
  mutating func follow(_ retry: Retry, _ verdict: SinkAnswer.Verdict) {
    switch course(of: retry, verdict) {
    case .ended: effects.changes.end(retry.delivery)
    case .wait(let due, let reason): wait(retry, until: due, reason)
    case .moveOn(let reason):
      if moveOn(retry, reason) { return }
      knowledge.changeReach(of: retry.delivery) { $0.recordFailed(on: retry.delivery.channel) }
      effects.usage.add(.failed, retry.delivery, at: now)
      effects.changes.wait(retry, due: nil, reason: reason)
      effects.notes.add(.dead(retry, reason: reason))
    }
  }

  /// Records the result of an attempt to withdraw a delivery, which has no other sink or channel
  /// (rule D16).
  mutating func followWithdrawal(_ retry: Retry, _ verdict: SinkAnswer.Verdict) {
    switch course(of: retry, verdict) {
    case .ended: effects.changes.endWithdrawal(retry, .withdrawn, at: now, "")
    case .wait(let due, let reason): effects.changes.wait(retry, due: due, reason: reason)
    case .moveOn(let reason): effects.changes.endWithdrawal(retry, .notWithdrawn, at: now, reason)
    }
  }

  private mutating func wait(_ retry: Retry, until due: Instant, _ reason: String) {
    effects.changes.wait(retry, due: due, reason: reason)
    effects.notes.add(.retried(retry, until: due, reason: reason))
  }

  /// Moves a delivery to the next sink of its route, or to the next channel.
  ///
  /// - Returns: false if there is neither a sink nor a channel.
  mutating func moveOn(_ retry: Retry, _ reason: String) -> Bool {
    guard let sink = routes.next(after: retry.sink, on: retry.delivery.channel) else {
      guard fallBack(from: retry, reason) else { return false }
      effects.usage.add(.failed, retry.delivery, at: now)
      return true
    }
    start(Retry(sink: sink, delivery: retry.delivery, attempts: 0), after: retry, reason)
    return true
  }

  /// Moves a delivery to its fallback channel.
  ///
  /// - Parameter deaths: the number of crashes during which the new delivery counts as in flight.
  /// - Returns: false if no channel can take over, or if another channel has reached the recipient
  ///   or may still do so.
  mutating func fallBack(from retry: Retry, _ reason: String, deaths: Int = 0) -> Bool {
    let delivery = retry.delivery
    guard let channel = knowledge.fallback(of: delivery, notWaitingFor: failing),
      let sink = routes.first(of: channel)
    else { return false }
    effects.changes.end(delivery)
    effects.changes.addFallback(channel, to: delivery.notification)
    knowledge.changeReach(of: delivery) {
      $0.recordFailed(on: delivery.channel)
      $0.recordFallback(on: channel, by: sink)
    }
    var next = Retry(sink: sink, delivery: delivery, attempts: 0, deaths: deaths)
    next.delivery.channel = channel
    effects.usage.add(.sent, next.delivery, at: now)
    start(next, after: retry, reason)
    return true
  }

  private mutating func start(_ next: Retry, after retry: Retry, _ reason: String) {
    effects.changes.wait(
      next, due: now, reason: "\(retry.sink), by \(retry.delivery.channel.name): \(reason)")
    effects.notes.add(.movedOn(retry, to: next, reason: reason))
  }
}
