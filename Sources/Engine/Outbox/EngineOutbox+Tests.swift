import CivilTime
import Outbox
import Reminders
import Store

/// Observers of test notifications in flight (rule D5).
extension EngineOutbox {
  /// Reports the dispatch of test notifications to their observers.
  func observeDispatch(of batch: [Delivery], sink: String, now: Instant) {
    guard !testObservers.isEmpty else { return }
    for delivery in batch {
      testObservers[delivery.notification]?(
        .dispatched(sink: sink, channel: delivery.channel, at: now))
    }
  }

  /// Reports attempts, and the steps that follow from them, to the observers of tests after the
  /// commit.
  func observe(_ attempts: [Attempt], _ turn: inout Turn) throws {
    let watched = attempts.filter { testObservers[$0.notification] != nil }
    guard !watched.isEmpty else { return }
    let states = try turn.transaction.deliveryStates(of: watched.map(\.notification))
    for attempt in watched {
      guard let observer = testObservers[attempt.notification] else { continue }
      let step = TestStep(after: attempt, states[attempt.notification] ?? [])
      turn.effects.answers.append { [self] in
        observer(.attempted(attempt))
        observer(step)
        if step.isLast { testObservers[attempt.notification] = nil }
      }
    }
  }

  /// Removes the observer of a test.
  func forgetTest(_ notification: String) {
    guard let number = NotificationID(notification, of: store.instance)?.number else { return }
    testObservers[number] = nil
  }
}
