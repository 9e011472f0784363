import CivilTime
import Reminders
import Store

extension MemoryTransaction {
  // MARK: - Starts

  func beginBoot() -> Bool {
    let last = state.notes["boot"]
    defer { state.notes["boot"] = "\((last.flatMap { Int64($0) } ?? 0) + 1)" }
    return last != nil && last == state.notes["stop"]
  }

  func recordStop() { state.notes["stop"] = state.notes["boot"] }

  func takeOrphans(now: Instant, hasCrashed: Bool) -> [String: Int] {
    var orphans: [String: Int] = [:]
    for (key, waiting) in state.retries where waiting.isInFlight {
      orphans[waiting.sink, default: 0] += 1
      state.retries[key]?.isInFlight = false
      state.retries[key]?.deaths += hasCrashed ? 1 : 0
    }
    for (sink, lane) in state.lanes where lane.lastDispatched > lane.cursor {
      for channel in lane.channels.channels {
        var waiting = MemoryState.StoredRetry(sink: sink, due: now)
        waiting.deaths = hasCrashed ? 1 : 0
        orphans[sink, default: 0] += makeRetries(
          waiting, on: channel, state.numbers(after: lane.cursor, through: lane.lastDispatched))
      }
      state.lanes[sink]?.cursor = lane.lastDispatched
    }
    return orphans.filter { $0.value > 0 }
  }

  /// Makes retries of a channel's deliveries that are not retries yet, each as a copy of
  /// `template`.
  ///
  /// - Returns: The number of the new retries.
  private func makeRetries(
    _ template: MemoryState.StoredRetry, on channel: Channel, _ numbers: [Int64]
  ) -> Int {
    let keys = numbers.compactMap { state.notifications[$0] }
      .filter { $0.record.isDelivered && $0.record.channels.contains(ChannelSet(channel)) }
      .map { MemoryState.key($0.number, channel) }.filter { state.retries[$0] == nil }
    for key in keys { state.retries[key] = template }
    return keys.count
  }

  func suspects(deaths: Int) -> [Retry] {
    retries { _, waiting in waiting.deaths >= deaths && waiting.due != nil }
  }

  // MARK: - Lanes

  func lanes() -> [String: StoredLane] { state.lanes }

  func save(lanes: [String: StoredLane]) { state.lanes.merge(lanes) { $1 } }

  func deleteLanes(of sinks: [String]) {
    for sink in sinks { state.lanes[sink] = nil }
  }

  func save(_ progress: [LaneProgress]) {
    for lane in progress {
      if let cursor = lane.cursor {
        state.lanes[
          lane.sink, default: StoredLane(cursor: cursor, channels: .all, lastDispatched: cursor)
        ]
        .cursor = cursor
      }
      if let lastDispatched = lane.lastDispatched {
        state.lanes[lane.sink]?.lastDispatched = lastDispatched
      }
    }
  }

  func deliveries(
    after notification: Int64, limit: Int, on wanted: ChannelSet
  ) -> (deliveries: [Delivery], through: Int64?) {
    let numbers = state.numbers(after: notification).prefix(limit)
    let entries = numbers.compactMap { state.notifications[$0] }
    return (entries.flatMap { deliveries(of: $0, on: wanted) }, numbers.last)
  }

  func backlogs(of lanes: [String: Int64?], limit: Int) -> [String: LaneBacklog] {
    var backlogs: [String: LaneBacklog] = [:]
    for (sink, cursor) in lanes {
      let retries = state.retries.filter { $0.value.sink == sink }
      let waiting = retries.filter { $0.value.due != nil }
      let due = { (entry: (key: DeliveryChanges.Key, value: MemoryState.StoredRetry)) in
        entry.value.due?.milliseconds ?? .max
      }
      let first = waiting.sorted { due($0) < due($1) }.prefix(limit)
      var backlog = LaneBacklog()
      backlog.retrying = first.count
      backlog.deadLetters = min(limit, retries.count - waiting.count)
      backlog.oldestRetry = first.map(\.key.notification).min()
        .flatMap { state.notifications[$0]?.record.at }
      backlog.oldestDelivery = cursor.flatMap { cursor in
        state.numbers(after: cursor).compactMap { state.notifications[$0]?.record }
          .first(where: \.isDelivered)?.at
      }
      backlogs[sink] = backlog
    }
    return backlogs
  }

  // MARK: - Single deliveries

  func recorded(among notifications: [Int64]) -> Set<Int64> {
    Set(notifications.filter { state.notifications[$0] != nil })
  }

  func replaced(among deliveries: [Delivery]) -> Set<Int64> {
    let replaced = deliveries.filter { delivery in
      state.notifications.values.contains { entry in
        let record = entry.record
        return record.reminder == delivery.occurrenceName && record.key == delivery.key
          && record.row == delivery.row && record.round > delivery.round
      }
    }
    return Set(replaced.map(\.notification))
  }

  func channelProgress(of notifications: [Int64]) -> [Int64: ChannelProgress] {
    var channelProgress: [Int64: ChannelProgress] = [:]
    for number in notifications {
      guard let entry = state.notifications[number] else { continue }
      let dropped = Channel.allCases.filter {
        state.attempts[MemoryState.key(number, $0)]?.last?.verdict == .dropped
      }
      channelProgress[number] = ChannelProgress(
        channels: entry.channels, dropped: dropped.reduce(into: []) { $0.insert(ChannelSet($1)) })
    }
    return channelProgress
  }

  func save(_ changes: DeliveryChanges) {
    for attempt in changes.firstAttempts {
      state.attempts[MemoryState.key(attempt.notification, attempt.channel)] = [attempt.cut]
    }
    for attempt in changes.laterAttempts {
      let key = MemoryState.key(attempt.notification, attempt.channel)
      let all = state.attempts[key, default: []] + [attempt.cut]
      state.attempts[key] = all.suffix(DeliveryChanges.attemptsMax)
    }
    for report in changes.reports {
      state.reports[MemoryState.key(report.notification, report.channel)] = report.cut
    }
    for step in changes.withdrawals {
      let key = MemoryState.key(step.notification, step.channel)
      state.withdrawals[key, default: [:]][AttemptRow.number(ofWithdrawal: step)] = step.cut
    }
    for verdict in changes.verdicts { settle(verdict) }
    for (number, channel) in changes.fallbacks {
      state.notifications[number]?.fallback.insert(ChannelSet(channel))
    }
    for key in changes.ended { state.retries[key] = nil }
    for entry in changes.waiting {
      var waiting = MemoryState.StoredRetry(sink: entry.retry.sink, due: entry.due)
      (waiting.attempts, waiting.deaths) = (entry.retry.attempts, entry.retry.deaths)
      waiting.reason = entry.reason
      waiting.withdrawn = entry.retry.delivery.withdrawnAt
      state.retries[DeliveryChanges.Key(entry.retry.delivery)] = waiting
    }
    for key in changes.dispatched { state.retries[key]?.isInFlight = true }
    for key in changes.requeued { state.retries[key]?.isInFlight = false }
    for (key, until) in changes.postponed {
      if let due = state.retries[key]?.due { state.retries[key]?.due = max(due, until) }
    }
  }

  private func settle(_ verdict: DeliveryChanges.Verdict) {
    guard var entry = state.notifications[verdict.notification] else { return }
    let row = entry.record.row
    if verdict.outcome != .delivered, entry.record.isDelivered, entry.link.leader == 0,
      entry.dismissed == nil, let counts = state.recipients[row]?.counts,
      counts.cleared < entry.number
    {
      state.recipients[row]?.counts.removeRecent()
    }
    entry.record.outcome = verdict.outcome
    var trace = verdict.trace
    trace.add(entry.record.trace)
    entry.record.trace = trace
    state.notifications[entry.number] = entry
  }

  // MARK: - Retries

  func dueRetries(
    of sink: String, now: Instant, limit: Int, batchMax: (_ deaths: Int) -> Int
  ) -> [Retry] {
    let due = retries { _, waiting in
      waiting.sink == sink && !waiting.isInFlight && waiting.due.map { $0 <= now } ?? false
    }
    var (found, maximum): ([Retry], Int) = ([], limit)
    for retry in due.prefix(limit) {
      maximum = min(maximum, batchMax(retry.deaths))
      guard found.count < maximum else { break }
      found.append(retry)
    }
    return found
  }

  /// Returns the matching retries in the order of their due times.
  private func retries(
    where isWanted: (DeliveryChanges.Key, MemoryState.StoredRetry) -> Bool
  ) -> [Retry] {
    let wanted = state.retries.filter { isWanted($0.key, $0.value) }.sorted { one, other in
      let (first, second) = (
        one.value.due?.milliseconds ?? .max, other.value.due?.milliseconds ?? .max
      )
      return (first, one.key.notification, one.key.channel.rawValue)
        < (second, other.key.notification, other.key.channel.rawValue)
    }
    return wanted.compactMap { key, waiting in
      state.notifications[key.notification].flatMap { delivery($0, on: key.channel) }.map {
        var delivery = $0
        if let decision = waiting.withdrawn { delivery.withdraw(at: decision) }
        return Retry(
          sink: waiting.sink, delivery: delivery, attempts: waiting.attempts,
          deaths: waiting.deaths)
      }
    }
  }

  func nextRetries(of sinks: [String]) -> [String: Instant] {
    var next: [String: Instant] = [:]
    for waiting in state.retries.values where sinks.contains(waiting.sink) {
      guard !waiting.isInFlight, let due = waiting.due else { continue }
      next[waiting.sink] = min(due, next[waiting.sink] ?? due)
    }
    return next
  }

  func shiftRetries(by span: TimeSpan) {
    for (key, waiting) in state.retries { state.retries[key]?.due = waiting.due.map { $0 - span } }
  }

  // MARK: - Changed routes

  func moveBacklog(
    of channel: Channel, after cursor: Int64, from old: String, to sink: String?, now: Instant
  ) {
    guard sink != nil || channel != .inapp else { return }
    var waiting = MemoryState.StoredRetry(sink: sink ?? old, due: sink == nil ? nil : now)
    if sink == nil { waiting.reason = DeadLetter.noSinkReason(channel) }
    _ = makeRetries(waiting, on: channel, state.numbers(after: cursor))
  }

  func retryPairs() -> [(sink: String, channel: Channel)] {
    var retryPairs: [String: ChannelSet] = [:]
    for (key, waiting) in state.retries where waiting.isFree {
      retryPairs[waiting.sink, default: []].insert(ChannelSet(key.channel))
    }
    return retryPairs.sorted { $0.key < $1.key }.flatMap { sink, channels in
      channels.channels.map { (sink, $0) }
    }
  }

  func moveRetries(of sink: String, on channel: Channel, to other: String?) {
    for (key, waiting) in state.retries
    where waiting.isFree && waiting.sink == sink && key.channel == channel {
      guard waiting.withdrawn == nil else {
        state.retries[key] = nil
        continue
      }
      var moved = waiting
      if let other {
        (moved.sink, moved.attempts, moved.deaths) = (other, 0, 0)
      } else {
        (moved.due, moved.reason) = (nil, DeadLetter.noSinkReason(channel))
      }
      state.retries[key] = moved
    }
  }

  func deleteRetries(of sink: String, after cursor: Int64, on channels: ChannelSet) -> Bool {
    let deleted = state.retries.filter { key, waiting in
      waiting.sink == sink && key.notification > cursor && waiting.due != nil
        && channels.contains(ChannelSet(key.channel))
        && state.notifications[key.notification]?.fallback.contains(ChannelSet(key.channel)) != true
    }
    for key in deleted.keys { state.retries[key] = nil }
    return !deleted.isEmpty
  }

  // MARK: - Dead letters

  func deadLetters(
    of sink: String?, after last: (notification: Int64, channel: Channel)?, limit: Int
  ) -> [DeadLetter] {
    let cursor = (last?.notification ?? 0, last?.channel.rawValue ?? 0)
    let letters = state.retries.filter { key, waiting in
      waiting.due == nil && (key.notification, key.channel.rawValue) > cursor
        && sink.map { $0 == waiting.sink } ?? true
    }
    let sorted = letters.keys.sorted {
      ($0.notification, $0.channel.rawValue) < ($1.notification, $1.channel.rawValue)
    }
    return sorted.prefix(limit).compactMap(deadLetter)
  }

  func deadLetter(_ notification: Int64, _ channel: Channel) -> DeadLetter? {
    deadLetter(MemoryState.key(notification, channel))
  }

  private func deadLetter(_ key: DeliveryChanges.Key) -> DeadLetter? {
    guard let waiting = state.retries[key], waiting.due == nil,
      let delivery = state.notifications[key.notification].flatMap({ delivery($0, on: key.channel) }
      )
    else { return nil }
    return DeadLetter(
      delivery: delivery, sink: waiting.sink, attempts: waiting.attempts, reason: waiting.reason,
      deaths: waiting.deaths)
  }

  func deadLetterCount(limit: Int) -> Int {
    min(limit, state.retries.values.count { $0.due == nil })
  }
}

extension MemoryState.StoredRetry {
  /// Whether the retry waits and is not in flight.
  fileprivate var isFree: Bool { due != nil && !isInFlight }
}

extension Attempt {
  /// The attempt with the reason cut to its maximum.
  fileprivate var cut: Attempt {
    var cut = self
    cut.reason = String(reason.prefix(DeliveryChanges.reasonMax))
    return cut
  }
}
