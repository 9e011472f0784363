import Delivery
import Reminders

/// Deliveries for a thread that has programs, and what is done with its answer.
struct ProgramOrder: Sendable {
  let deliveries: [Delivery]
  let answer: @Sendable (Result<[SinkAnswer], SinkOutage>) -> Void
}

extension ProgramThread where Loop.Order == ProgramOrder {
  /// Hands deliveries over and waits for the answer.
  func ask(_ deliveries: [Delivery]) async -> Result<[SinkAnswer], SinkOutage> {
    await withCheckedContinuation { continuation in
      let order = ProgramOrder(deliveries: deliveries) { continuation.resume(returning: $0) }
      if !post(order) {
        continuation.resume(returning: .failure(SinkOutage("the service is stopping")))
      }
    }
  }
}
