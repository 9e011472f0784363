package import CivilTime
package import Reminders
package import Store

/// The gates before another attempt (rule V7). What they hold becomes a retry at the end of the
/// hold; what they drop is recorded as dropped.
package struct Recheck: Sendable {
  private let now: Instant
  private var decisions: [(retry: Retry, decision: Decision)] = []
  package private(set) var effects = OutboxEffects()
  /// Those that may go now, as they may go.
  package private(set) var passing: [Retry] = []

  /// - Parameter contexts: of the recipients that are there, by row.
  package init(_ retries: [Retry], _ contexts: [UInt32: PlanningContext], now: Instant) {
    self.now = now
    decisions.reserveCapacity(retries.count)
    for retry in retries {
      guard let context = contexts[retry.delivery.row] else { continue }
      decisions.append((retry, context.decision(retrying: retry.delivery, now: now)))
    }
  }

  /// The notifications of which the gates drop a delivery: where these have gone has to be known.
  package var dropped: [Int64] {
    decisions.lazy.filter { $0.decision.outcome == .dropped }.map(\.retry.delivery.notification)
  }

  /// The deliveries that are dropped because their channel cannot reach the person any more or is
  /// switched off: another channel that has failed may have waited for them (rule D2).
  package var unreachable: [Delivery] {
    decisions.lazy.filter { entry in
      let gate = entry.decision.trace.firstDrop
      return entry.decision.outcome == .dropped && (gate == .address || gate == .category)
    }.map(\.retry.delivery)
  }

  /// Finds out what passes, and what is to be written of what does not.
  ///
  /// - Parameter standings: of the `dropped`.
  package mutating func conclude(_ standings: [Int64: DeliveryStanding]) {
    var standings = standings
    for (retry, decision) in decisions {
      if decision.outcome == .dropped {
        drop(retry, decision.trace, &standings)
      } else if decision.at > now {
        hold(retry, decision)
      } else {
        // One that was decided by day makes no sound where it would make none if it were decided
        // now (rule V3).
        var passed = retry
        passed.delivery.isSilent = passed.delivery.isSilent || decision.isSilent
        passing.append(passed)
      }
    }
  }

  private mutating func hold(_ retry: Retry, _ decision: Decision) {
    effects.changes.settle(
      retry.delivery.notification, outcome: .delivered, trace: decision.trace)
    let reasons = decision.trace.reasons.joined(separator: ", ")
    effects.changes.wait(retry, due: decision.at, reason: "held by \(reasons)")
  }

  /// The notification counts as dropped when all its channels are; what is in the inbox has been
  /// delivered, whatever a sink made of it.
  private mutating func drop(
    _ retry: Retry, _ trace: GateTrace, _ standings: inout [Int64: DeliveryStanding]
  ) {
    let delivery = retry.delivery
    let reasons = trace.reasons.joined(separator: ", ")
    effects.keep(
      Attempt(of: delivery, by: retry.sink, at: now, .dropped, reason: reasons), isFirst: false)
    effects.usage.add(.dropped, delivery, at: now, reason: trace.firstDrop)
    effects.changes.end(delivery)
    standings[delivery.notification]?.dropped.insert(ChannelSet(delivery.channel))
    let isDroppedEverywhere = standings[delivery.notification]?.isDroppedEverywhere ?? true
    guard delivery.channel != .inapp, isDroppedEverywhere else { return }
    effects.changes.settle(delivery.notification, outcome: .dropped, trace: trace)
  }
}
