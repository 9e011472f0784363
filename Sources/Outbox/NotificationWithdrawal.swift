package import CivilTime
package import Reminders
package import Store

/// The withdrawal of a notification from the services that accepted it (rule D16). Each delivery is
/// withdrawn at most once.
package struct NotificationWithdrawal: Sendable {
  /// The deliveries of the notification.
  private let states: [DeliveryState]

  package init(_ states: [DeliveryState]) {
    self.states = states
  }

  /// Returns the changes that withdraw the accepted deliveries; nil if there are none.
  ///
  /// - Parameters:
  ///   - deliveries: the notification on each of its channels.
  ///   - cause: the reason that is recorded.
  ///   - sinks: the sinks that can withdraw deliveries.
  package func changes(
    of deliveries: [Delivery], because cause: String, from sinks: Set<String>, now: Instant
  ) -> DeliveryChanges? {
    var changes = DeliveryChanges()
    for state in states where isShown(state) && sinks.contains(state.sink) {
      guard var delivery = deliveries.first(where: { $0.channel == state.channel }),
        now - delivery.at < EndedDeliveries.ageMax
      else { continue }
      delivery.withdraw(at: now)
      let retry = Retry(sink: state.sink, delivery: delivery, attempts: 0)
      changes.wait(retry, due: now, reason: cause)
      changes.withdrawals.append(
        Attempt(of: delivery, by: state.sink, at: now, .withdrawing, reason: cause))
    }
    return changes.isEmpty ? nil : changes
  }

  /// Returns whether a delivery was accepted, and is neither withdrawn nor about to be withdrawn.
  private func isShown(_ state: DeliveryState) -> Bool {
    state.channel != .inapp && state.publicState.isDelivered
      && !state.attempts.contains(where: \.verdict.isWithdrawal)
  }
}

extension DeliveryChanges {
  /// Returns the withdrawals among a sink's due retries, and ends withdrawals that the sink has not
  /// accepted within a day.
  ///
  /// - Parameter canWithdraw: whether the sink can withdraw; otherwise all withdrawals end.
  package mutating func currentWithdrawals(
    among retries: [Retry], canWithdraw: Bool, now: Instant
  ) -> [Retry] {
    let withdrawals = retries.filter(\.delivery.isWithdrawal)
    guard canWithdraw else {
      for retry in withdrawals {
        endWithdrawal(retry, .notWithdrawn, at: now, "the sink cannot withdraw")
      }
      return []
    }
    for retry in withdrawals where retry.delivery.expiry < now {
      endWithdrawal(retry, .notWithdrawn, at: now, "it was not accepted within a day")
    }
    return withdrawals.filter { $0.delivery.expiry >= now }
  }
}
