package import CivilTime
package import Reminders

extension Lane {
  /// The last notification that `next` is going to hand over when a turn is done, as far as that
  /// can be told while the turn is being written: so it is on record before the sink has it, by the
  /// same transaction (rule D1).
  ///
  /// - Parameters:
  ///   - count: how many of the queue the sink has answered for in this turn; nil if it has not.
  ///   - offered: what the turn is going to offer.
  ///   - nextRetry: when the first of the retries is due once the turn is done.
  /// - Returns: nil where the gates are to be asked first, or retries go first, or nothing goes.
  package func prospect(
    answered count: Int?, offered: [Delivery], nextRetry: Instant?, now: Instant
  ) -> Int64? {
    guard isWithSink == (count != nil), count != nil || !breaker.isHalfOpen else { return nil }
    if let nextRetry, nextRetry <= now, !isQueueNext { return nil }
    let count = count ?? 0
    let isCaughtUp = covered == last && queue.count + offered.count <= capacity
    let rest = queue[count...]
    let coming = isCaughtUp ? offered[...] : []
    guard let first = rest.first ?? coming.first, !isStale(first, now) else { return nil }
    return Self.last(of: rest, coming, allowanceAfterAnswer(rest.count + coming.count, at: now))
  }

  /// An answer closes the breaker.
  private func allowanceAfterAnswer(_ count: Int, at now: Instant) -> Int {
    let wanted = min(count, window)
    guard let bucket else { return wanted }
    let available = bucket.available(at: now)
    return available >= min(wanted, bucket.portion) ? min(wanted, available) : 0
  }

  /// The notification at which a chunk of two queues in a row ends.
  private static func last(
    of queue: ArraySlice<Delivery>, _ coming: ArraySlice<Delivery>, _ count: Int
  ) -> Int64? {
    guard count > 0 else { return nil }
    let isInQueue = count <= queue.count
    // What follows in the chunk is of the same notification.
    return isInQueue
      ? queue[queue.startIndex + count - 1].notification
      : coming[coming.startIndex + count - 1 - queue.count].notification
  }
}

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
