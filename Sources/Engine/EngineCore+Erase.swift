import CivilTime
import Delivery
import Store

extension EngineCore {
  /// How long after an attempt to clean the files that failed there is another.
  private static let pause = TimeSpan.minutes(1)

  /// Cleans the store's files of who was erased (rule H4), unless it was tried in vain just now.
  func finishErasure(now: Instant) throws(StoreError) {
    if let cleaning { return try follow(cleaning) }
    guard store.isErasureOpen else { return }
    if let next = erasureRetry, now < next { return }
    erasureRetry = try store.finishErasure() ? nil : now + Self.pause
  }

  /// Where another thread cleans them: takes what it has come to, and lets it begin again.
  private func follow(_ cleaning: FileCleaning) throws(StoreError) {
    if let result = cleaning.takeResult() {
      do throws(StoreError) {
        try store.endErasures(result.get())
      } catch {
        // The thread comes to the same again.
        guard case .full = error else { throw error }
      }
    }
    if store.isErasureOpen { cleaning.begin() }
  }

  /// Takes out of the queues what waits for an erased recipient; what is with a sink is out of
  /// our hands.
  func forgetDeliveries(to row: UInt32) {
    for index in lanes.indices {
      lanes[index].lane.forget(row, butFirst: lanes[index].countOfQueueWithSink)
    }
  }
}
