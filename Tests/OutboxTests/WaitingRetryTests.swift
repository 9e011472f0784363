import CivilTime
import Outbox
import Reminders
import Testing

/// Rule D13: the retry that waits for a receipt differs from other retries.
@Suite struct WaitingRetryTests {
  private func state(attempts: Int, reason: String) -> DeliveryState {
    let due = Instant(milliseconds: 0)
    return DeliveryState(
      sink: "texts", channel: .sms,
      progress: .retrying(attempts: attempts, due: due, reason: reason))
  }

  @Test func `D13: a retry waits for a receipt if its reason says so and it has no attempt`() {
    let held = state(attempts: 0, reason: "held by quiet hours")
    let failed = state(attempts: 1, reason: "push has no receipt within 10m")
    let waiting = state(attempts: 0, reason: "push has no receipt within 10m")
    #expect(ReceiptWait([held, failed]).waiting == nil)
    let isEnded = ReceiptWait([held, failed]).end(of: 1, at: Instant(milliseconds: 0)) != nil
    #expect(!isEnded)
    #expect(ReceiptWait([held, waiting]).waiting == waiting)
  }
}
