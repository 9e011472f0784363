package import CivilTime
package import Reminders

extension Lane {
  /// Whether a delivery would have been attempted for the last time by now: another attempt of the
  /// same sink would come too late for it.
  package static func isOverdue(_ delivery: Delivery, at now: Instant) -> Bool {
    RetrySchedule.lastAttempt(from: delivery.at, before: delivery.expiry) <= now
  }

  /// The first of the queue up to the last one that is overdue, with all channels of its
  /// notification: a place between them there is not.
  ///
  /// - Complexity: O(*n*) of the queue.
  package func overdue(at now: Instant, limit: Int) -> ArraySlice<Delivery> {
    let last = queue.lastIndex { Self.isOverdue($0, at: now) }
    guard let last else { return [] }
    return queue[..<chunkEnd(min(last + 1, limit))]
  }

  /// The first of the queue wait elsewhere from now on.
  package mutating func letGo(count: Int) {
    place = place(withoutFirst: count)
    queue.removeFirst(count)
  }
}
