import Dispatch
import Outbox
import Reminders
import Synchronization

/// A sink that answers no delivery until it is released, and then answers all of them.
final class HangingSink: Sink {
  enum Manner: CaseIterable {
    /// The sink blocks its thread.
    case blocks
    /// The sink suspends its task.
    case suspends
  }

  let name = "hanging"
  private let manner: Manner
  private let gate = DispatchGroup()
  private let batches = Mutex<[[String]]>([])

  init(_ manner: Manner) {
    self.manner = manner
    gate.enter()
  }

  /// The batches of delivery ids that the sink got.
  var dispatched: [[String]] { batches.withLock { $0 } }

  func release() { gate.leave() }

  func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    batches.withLock { $0.append(deliveries.map(\.identifier)) }
    switch manner {
    case .blocks: block()
    case .suspends:
      await withCheckedContinuation { continuation in
        gate.notify(queue: .global()) { continuation.resume() }
      }
    }
    return deliveries.map { _ in .delivered }
  }

  private func block() { gate.wait() }
}
