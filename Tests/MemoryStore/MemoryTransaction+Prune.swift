import CivilTime
import Reminders
import Store

/// Rule H7: pruning.
extension MemoryTransaction {
  func prune(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool, folding fold: EventFolding
  ) throws -> Pruned {
    switch part {
    case .attempts: pruneAttempts(by: age, after: cursor, limit)
    case .events: try pruneEvents(by: age, after: cursor, limit, fold)
    case .notifications: pruneNotifications(by: age, after: cursor, limit, keeps)
    case .analytics: pruneAnalytics(by: age, after: cursor, limit)
    case .usage: pruneUsage(by: age, after: cursor)
    }
  }

  /// Prunes the usage counts of one date.
  private func pruneUsage(by age: Age, after cursor: Int64) -> Pruned {
    let dates = state.usage.keys.map(\.hour.date).filter { $0.daysSinceEpoch > cursor }
    guard let date = dates.min(), age.isOld(date) else { return Pruned() }
    let previousCount = state.usage.count
    state.usage = state.usage.filter { $0.key.hour.date != date }
    return Pruned(removed: previousCount - state.usage.count, cursor: Int64(date.daysSinceEpoch))
  }

  /// Prunes the attempts of deliveries, except a last attempt that failed.
  private func pruneAttempts(by age: Age, after cursor: Int64, _ limit: Int) -> Pruned {
    var pruned = Pruned()
    let numbers = Set(state.attempts.keys.map(\.notification)).filter { $0 > cursor }.sorted()
    let rows = numbers.prefix(limit)
    let times = rows.map { number in
      state.attempts(of: number).first(where: \.verdict.isAttempt)?.at
    }
    let examined = rows.prefix(age.examinedCount(of: times))
    pruned.cursor = examined.count == rows.count ? examined.last : nil
    for number in examined {
      for channel in Channel.allCases {
        let key = MemoryState.key(number, channel)
        guard let deliveryAttempts = state.attempts[key], let last = deliveryAttempts.last,
          age.isOld(last.at)
        else {
          continue
        }
        state.attempts[key] = last.verdict == .delivered ? nil : [last]
        pruned.removed +=
          last.verdict == .delivered ? deliveryAttempts.count : deliveryAttempts.count - 1
      }
    }
    return pruned
  }

  /// Prunes events with their identities. A request whose notification is pending stays.
  private func pruneEvents(
    by age: Age, after cursor: Int64, _ limit: Int, _ fold: EventFolding
  ) throws -> Pruned {
    var pruned = Pruned()
    var removed: [RemovedEvent] = []
    let rows = state.events.keys.filter({ $0 > cursor }).sorted().prefix(limit)
    let count = age.examinedCount(of: rows.map { state.events[$0]?.received })
    let recipients = rows.prefix(count).map { order -> Int64? in
      state.events[order].flatMap { age.isOld($0.received) ? Int64($0.row) : nil }
    }
    let examined = rows.prefix(PruningStep.examinedCount(of: recipients))
    let mayContinue = examined.count < count || count == rows.count
    pruned.cursor = mayContinue ? examined.last : nil
    for order in examined {
      guard let entry = state.events[order], age.isOld(entry.received) else { continue }
      let facts = state.recipients[entry.row]?.recipient.facts
      if entry.event.type == "notification.requested", facts?.request(order) != nil { continue }
      removed.append(
        RemovedEvent(
          row: entry.row, event: entry.storedEvent(order: order), previous: entry.previous))
      state.events[order] = nil
      state.identities[entry.event.identity] = nil
      pruned.removed += 1
    }
    try self.fold(removed, before: age.end, by: fold)
    return pruned
  }

  private func pruneAnalytics(by age: Age, after cursor: Int64, _ limit: Int) -> Pruned {
    let rows = state.analytics.filter { $0.number > cursor }.prefix(limit)
    let pruning = AnalyticsPruning(by: age, answeredThrough: try? analyticsCursors().values.min())
    let step = pruning.step(over: rows.map { ($0.number, $0.event.time) })
    let removable = Set(step.removable.map(\.number))
    state.analytics.removeAll { removable.contains($0.number) }
    return Pruned(removed: removable.count, cursor: step.cursor)
  }

  private func pruneNotifications(
    by age: Age, after cursor: Int64, _ limit: Int,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) -> Pruned {
    var pruned = Pruned()
    let rows = state.numbers(after: cursor).prefix(limit)
    let times = rows.map { state.notifications[$0]?.record.at }
    let examined = rows.prefix(age.examinedCount(of: times))
    pruned.cursor = examined.count == rows.count ? examined.last : nil
    for number in examined {
      guard let entry = state.notifications[number], age.isOld(entry.record.at) else { continue }
      guard var stored = state.recipients[entry.record.row], !isNeeded(entry, of: stored, keeps)
      else { continue }
      if entry.record.isDelivered, entry.link.leader == 0, entry.dismissed == nil,
        number > stored.counts.cleared
      {
        stored.counts.removeRecent()
      }
      removeItem(number, of: &stored)
      state.removeNotification(number)
      // The previous notification may stay; then the chain of the recipient's notifications must
      // skip the pruned one.
      if state.notifications[entry.link.previous] != nil {
        unchain(number, to: entry.link.previous, of: &stored)
      }
      state.recipients[stored.row] = stored
      state.prunedThrough = max(state.prunedThrough, number)
      pruned.removed += 1
    }
    return pruned
  }

  /// Returns whether a notification must stay although it is old.
  private func isNeeded(
    _ entry: MemoryState.Notification, of stored: StoredRecipient,
    _ keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) -> Bool {
    if state.notifications[entry.link.leader] != nil { return true }
    if entry.record.isDelivered, isOnItsWay(entry) { return true }
    if entry.record.isDelivered, keeps(stored, entry.record.reminder, entry.record.key) {
      return true
    }
    guard stored.counts.unread <= Retention.unreadKeptMax else { return false }
    return state.inbox[stored.row]?[entry.number].map { !$0.isRead } ?? false
  }

  /// Whether a sink still has to accept a delivery of the notification.
  private func isOnItsWay(_ entry: MemoryState.Notification) -> Bool {
    let isRetried = Channel.allCases.contains {
      state.retries[MemoryState.key(entry.number, $0)]?.due != nil
    }
    return isRetried
      || state.lanes.values.contains {
        $0.cursor < entry.number && !$0.channels.isDisjoint(with: entry.record.channels)
      }
  }

  // MARK: - The forecast

  /// Forecasts a pruning step by pruning a copy.
  func prunable(
    _ part: RetentionPart, by age: Age, after cursor: Int64, limit: Int,
    keeping keeps: (StoredRecipient, Symbol, Int64) -> Bool
  ) throws -> Prunable {
    let rehearsal = MemoryTransaction(state, instance: instance)
    let pruned = try rehearsal.prune(
      part, by: age, after: cursor, limit: limit, keeping: keeps, folding: { _, _, _ in })
    let remaining = rehearsal.times(of: part)
    let removable = times(of: part).filter { $1 > remaining[$0, default: 0] }
    return Prunable(count: pruned.removed, oldest: removable.keys.min(), cursor: pruned.cursor)
  }

  /// Returns the number of a part's rows at each instant.
  private func times(of part: RetentionPart) -> [Instant: Int] {
    let times =
      switch part {
      case .attempts: state.attempts.values.joined().map(\.at)
      case .events: state.events.values.map(\.received)
      case .notifications: state.notifications.values.map(\.record.at)
      case .analytics: state.analytics.map(\.event.time)
      case .usage: state.usage.keys.map { Prunable.start(of: Int64($0.hour.date.daysSinceEpoch)) }
      }
    return times.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}
