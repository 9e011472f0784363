import Dispatch
import Outbox
import Reminders
import Synchronization

/// A sink that answers for nothing until it is let go, and then for everything.
final class HangingSink: Sink {
  enum Manner: CaseIterable {
    /// Keeps the thread that it is given.
    case blocks
    /// Waits without one.
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

  /// What it was handed, by identifiers.
  var handed: [[String]] { batches.withLock { $0 } }

  func letGo() { gate.leave() }

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
