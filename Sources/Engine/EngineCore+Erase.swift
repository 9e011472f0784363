import CivilTime
import Delivery
import Store

extension EngineCore {
  /// How long after an attempt to clean the files that failed there is another.
  private static let pause = TimeSpan.minutes(1)

  /// Cleans the store's files of who was erased (rule H4), unless it was tried in vain just now.
  func finishErasure(now: Instant) throws(StoreError) {
    guard store.isErasureOpen else { return }
    if let next = erasureRetry, now < next { return }
    erasureRetry = try store.finishErasure() ? nil : now + Self.pause
  }

  /// Takes out of the queues what waits for an erased recipient; what is with a sink is out of
  /// our hands.
  func forgetDeliveries(to row: UInt32) {
    for index in lanes.indices {
      lanes[index].lane.forget(row, butFirst: lanes[index].countOfQueueWithSink)
    }
  }
}
