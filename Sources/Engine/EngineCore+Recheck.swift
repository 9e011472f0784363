import CivilTime
import Delivery
import Reminders
import Store

/// The gates before another attempt (rule V7).
extension EngineCore {
  /// How many deliveries are asked about together.
  private static let recheckMax = 1_024

  /// Those that the gates let go now. What they hold becomes a retry at the end of the hold; what
  /// they drop is recorded as dropped.
  func passing(
    _ retries: [Retry], now: Instant, in transaction: StoreTransaction
  ) throws -> [Retry] {
    var passing: [Retry] = []
    var rest = retries[...]
    while !rest.isEmpty {
      let group = rest.prefix(Self.recheckMax)
      var situations: [UInt32: Situation] = [:]
      try forEachRecipient(of: group.map(\.delivery), in: transaction) { stored in
        situations[stored.row] = Situation(facts: stored.recipient.facts, planner: planner)
      }
      for retry in group {
        guard let situation = situations[retry.delivery.row],
          let passed = try pass(retry, situation, now: now, in: transaction)
        else { continue }
        passing.append(passed)
      }
      rest = rest.dropFirst(Self.recheckMax)
    }
    return passing
  }

  /// The delivery as it may go now; nil if it may not. One that was decided by day makes no sound
  /// where it would make none if it were decided now (rule V3).
  private func pass(
    _ retry: Retry, _ situation: Situation, now: Instant, in transaction: StoreTransaction
  ) throws -> Retry? {
    let decision = situation.decision(retrying: retry.delivery, now: now)
    if decision.outcome == .dropped {
      try drop(retry, decision.trace, now: now, in: transaction)
      return nil
    }
    guard decision.at > now else {
      var passed = retry
      passed.delivery.isSilent = passed.delivery.isSilent || decision.isSilent
      return passed
    }
    let delivery = retry.delivery
    try transaction.settle(delivery.notification, outcome: .delivered, trace: decision.trace)
    let reasons = decision.trace.reasons.joined(separator: ", ")
    try transaction.saveRetry(retry, due: decision.at, reason: "held by \(reasons)")
    return nil
  }

  /// Records that the gates keep a delivery from its channel. The notification counts as dropped
  /// when that is so of all its channels; what is in the inbox has been delivered, whatever a sink
  /// made of it.
  private func drop(
    _ retry: Retry, _ trace: GateTrace, now: Instant, in transaction: StoreTransaction
  ) throws {
    let delivery = retry.delivery
    let reasons = trace.reasons.joined(separator: ", ")
    try transaction.keepNext(
      Attempt(of: delivery, by: retry.sink, at: now, .dropped, reason: reasons))
    try transaction.deleteRetry(delivery)
    guard delivery.channel != .inapp,
      try transaction.isDroppedEverywhere(delivery.notification)
    else { return }
    try transaction.settle(delivery.notification, outcome: .dropped, trace: trace)
  }
}
