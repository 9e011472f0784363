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
          try passes(retry, situation, now: now, in: transaction)
        else { continue }
        passing.append(retry)
      }
      rest = rest.dropFirst(Self.recheckMax)
    }
    return passing
  }

  private func passes(
    _ retry: Retry, _ situation: Situation, now: Instant, in transaction: StoreTransaction
  ) throws -> Bool {
    let decision = situation.decision(retrying: retry.delivery, now: now)
    if decision.outcome == .dropped {
      try drop(retry, decision.trace, now: now, in: transaction)
      return false
    }
    guard decision.at > now else { return true }
    let delivery = retry.delivery
    try transaction.settle(delivery.notification, outcome: .delivered, trace: decision.trace)
    let reasons = decision.trace.reasons.joined(separator: ", ")
    try transaction.saveRetry(retry, due: decision.at, reason: "held by \(reasons)")
    return false
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
