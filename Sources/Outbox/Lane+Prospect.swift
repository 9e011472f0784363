package import CivilTime
package import Reminders

extension Lane {
  /// Predicts the last notification that `next` will dispatch after this engine cycle. So the
  /// cycle's own transaction can record it before the sink gets it (rule D1).
  ///
  /// - Parameters:
  ///   - count: the number of deliveries of the queue that the sink has answered in this cycle; nil
  ///     if it has not answered.
  ///   - offered: the deliveries on the lane's channels that the cycle will offer.
  ///   - nextRetry: when the next retry is due after the cycle; nil if there is none.
  /// - Returns: nil if nothing is dispatched, or if the lane first evaluates gates, dispatches
  ///   retries, or tests whether its sink is back.
  package func forecast(
    answered count: Int?, offered: [Delivery], nextRetry: Instant?, now: Instant
  ) -> Int64? {
    guard hasBatchInFlight == (count != nil), count != nil || !breaker.isHalfOpen else {
      return nil
    }
    if let nextRetry, nextRetry <= now, !isQueueNext { return nil }
    let count = count ?? 0
    let isCaughtUp = lastCovered == last && queue.count + offered.count <= capacity
    let remaining = queue[count...]
    let added = isCaughtUp ? offered[...] : []
    guard let first = remaining.first ?? added.first, !isStale(first, now) else { return nil }
    return Self.last(
      of: remaining, added, allowanceAfterAnswer(remaining.count + added.count, at: now))
  }

  /// Returns how many of `count` waiting deliveries may be dispatched after an answer, which closes
  /// the breaker.
  private func allowanceAfterAnswer(_ count: Int, at now: Instant) -> Int {
    let allowed = min(count, window)
    guard let bucket else { return allowed }
    let available = bucket.available(at: now)
    return available >= min(allowed, bucket.portion) ? min(allowed, available) : 0
  }

  /// Returns the last notification of a chunk of `count` deliveries that begins in `queue` and may
  /// continue in `following`; nil for an empty chunk.
  private static func last(
    of queue: ArraySlice<Delivery>, _ following: ArraySlice<Delivery>, _ count: Int
  ) -> Int64? {
    guard count > 0 else { return nil }
    let isInQueue = count <= queue.count
    // A chunk contains all deliveries of its last notification.
    return isInQueue
      ? queue[queue.startIndex + count - 1].notification
      : following[following.startIndex + count - 1 - queue.count].notification
  }
}

extension Lane {
  /// Returns whether the last attempt that a delivery's expiry allows was due by `now`. If so, the
  /// same sink makes no further attempt.
  package static func isOverdue(_ delivery: Delivery, at now: Instant) -> Bool {
    RetrySchedule.lastAttempt(from: delivery.at, before: delivery.expiry) <= now
  }

  /// Returns the queue up to its last overdue delivery. Includes all channels of that delivery's
  /// notification, because a cursor cannot point between them.
  ///
  /// - Parameter limit: the maximum number of deliveries, which the last notification may exceed.
  /// - Complexity: O(*n*) of the queue.
  package func overdue(at now: Instant, limit: Int) -> ArraySlice<Delivery> {
    let last = queue.lastIndex { Self.isOverdue($0, at: now) }
    guard let last else { return [] }
    return queue[..<chunkEnd(min(last + 1, limit))]
  }

  /// Removes the first deliveries of the queue, which become retries.
  package mutating func skip(count: Int) {
    cursor = cursor(withoutFirst: count)
    queue.removeFirst(count)
  }
}
