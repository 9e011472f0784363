package import CivilTime
package import Reminders
package import Store

/// Evaluates the gates of deliveries again before a delayed or repeated attempt (rule V7). A
/// delivery that the gates hold back becomes a retry at the end of the hold. A delivery that they
/// drop is recorded as dropped.
package struct Recheck: Sendable {
  private let now: Instant
  /// The retries of existing recipients, with the gates' decisions.
  private var decisions: [(retry: Retry, decision: Decision)] = []
  /// The changes for the retries that do not pass.
  package private(set) var effects = OutboxEffects()
  /// The retries that may be attempted now, silenced where needed.
  package private(set) var passing: [Retry] = []

  /// - Parameters:
  ///   - contexts: the recipients' contexts by row, without recipients that no longer exist.
  ///   - replaced: the notifications that a snooze replaces by later ones (rule N8), and the
  ///     digests whose members have all been withdrawn, muted or replaced.
  package init(
    _ retries: [Retry], _ contexts: [UInt32: PlanningContext], replaced: Set<Int64>, now: Instant
  ) {
    self.now = now
    decisions.reserveCapacity(retries.count)
    for retry in retries {
      let delivery = retry.delivery
      guard let context = contexts[delivery.row] else { continue }
      let isReplaced = replaced.contains(delivery.notification)
      let decision = context.decision(retrying: delivery, isReplaced: isReplaced, now: now)
      decisions.append((retry, decision))
    }
  }

  /// The notifications with a dropped delivery, whose progress `conclude` needs.
  package var dropped: [Int64] {
    decisions.lazy.filter { $0.decision.outcome == .dropped }.map(\.retry.delivery.notification)
  }

  /// The deliveries dropped because their channel is switched off or can no longer reach the
  /// recipient. The fallback of another failed channel may have waited for these deliveries (rule
  /// D7).
  package var unreachable: [Delivery] {
    decisions.lazy.filter { entry in
      let gate = entry.decision.trace.firstDrop
      return entry.decision.outcome == .dropped && (gate == .address || gate == .category)
    }.map(\.retry.delivery)
  }

  /// Determines the retries that pass, and the effects of the other retries.
  ///
  /// - Parameter channelProgress: the progress of the `dropped` notifications, by number.
  package mutating func conclude(_ channelProgress: [Int64: ChannelProgress]) {
    var channelProgress = channelProgress
    for (retry, decision) in decisions {
      if decision.outcome == .dropped {
        drop(retry, decision.trace, &channelProgress)
      } else if decision.at > now {
        hold(retry, decision)
      } else {
        // A delivery that was decided with sound becomes silent if the gates now make it so (rule
        // V3).
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

  /// Drops a retry. The notification counts as dropped when all its channels are dropped. A
  /// notification in the inbox counts as delivered, whatever a sink answered.
  private mutating func drop(
    _ retry: Retry, _ trace: GateTrace, _ channelProgress: inout [Int64: ChannelProgress]
  ) {
    let delivery = retry.delivery
    let reasons = trace.reasons.joined(separator: ", ")
    effects.add(
      Attempt(of: delivery, by: retry.sink, at: now, .dropped, reason: reasons), isFirst: false)
    effects.usage.add(.dropped, delivery, at: now, reason: trace.firstDrop)
    effects.changes.end(delivery)
    channelProgress[delivery.notification]?.dropped.insert(ChannelSet(delivery.channel))
    let isDroppedEverywhere = channelProgress[delivery.notification]?.isDroppedEverywhere ?? true
    guard delivery.channel != .inapp, isDroppedEverywhere else { return }
    effects.changes.settle(delivery.notification, outcome: .dropped, trace: trace)
  }
}
