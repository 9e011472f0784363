import CivilTime

/// The differences between a recipient's notifications in a replay and in the replay as another
/// planner continues it (rule L5). A notification counts once for each channel.
package struct ReplayComparison: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Only the other planner plans the notification, and sends it.
    case added
    /// A gate dropped the notification; the other planner sends it.
    case restored
    /// The notification was sent; the other planner does not plan it.
    case cancelled
    /// The notification was sent; with the other planner, a gate drops it.
    case dropped
    /// The notification was sent; with the other planner it is held, snoozed or planned later.
    case waiting
    /// The notification is sent at another instant.
    case moved
    /// The notification was sent alone; the other planner sends it as part of a digest.
    case bundled
    /// The notification was part of a digest; the other planner sends it alone.
    case separated
    /// The notification is sent with another text.
    case reworded
  }

  /// A reminder's notifications on one channel.
  package struct Line: Hashable, Sendable {
    package let reminder: String
    package let category: String
    package let channel: Channel
  }

  package struct Change: Hashable, Sendable {
    package let line: Line
    package let kind: Kind
    /// The gate that drops the notification; nil unless `kind` is `dropped`.
    package let reason: String?
  }

  /// The numbers of notifications that were sent, and that the other planner sends.
  package private(set) var sent: [Line: (then: Int, now: Int)] = [:]
  /// The number of notifications with each change.
  package private(set) var changes: [Change: Int] = [:]
  /// The highest number of notifications outside the inbox on one local date.
  package let highestDay: (then: Int, now: Int)

  /// - Parameters:
  ///   - renaming: the names of reminders in the catalogs of the other replay.
  package init(of replay: RecipientReplay, with other: RecipientReplay, _ renaming: Renaming) {
    let (then, now) = (ReplayedFates(replay, renaming), ReplayedFates(other, Renaming()))
    highestDay = (replay.decisions.highestDay, other.decisions.highestDay)
    for (id, fate) in then.fates where fate.isSent {
      sent[fate.line(id), default: (0, 0)].then += 1
    }
    for (id, fate) in now.fates where fate.isSent {
      sent[fate.line(id), default: (0, 0)].now += 1
    }
    for id in Set(then.fates.keys).union(now.fates.keys) where id.reminder != Digest.symbol {
      guard let (kind, gate) = Self.change(of: id, then, now),
        let fate = now.fates[id] ?? then.fates[id]
      else { continue }
      changes[Change(line: fate.line(id), kind: kind, reason: gate?.reason), default: 0] += 1
    }
  }

  /// Returns how an occurrence's fate changes, and the gate that drops it; nil if nothing changes.
  private static func change(
    of id: ReplayedFates.ID, _ then: ReplayedFates, _ now: ReplayedFates
  ) -> (Kind, Gate?)? {
    let (old, new) = (then.fates[id], now.fates[id])
    switch (old?.sentAt, new?.sentAt) {
    case (nil, nil): return nil
    case (nil, _?):
      if old != nil { return (.restored, nil) }
      return (then.isOpen(id) ? .moved : .added, nil)
    case (_?, nil):
      if let new { return (.dropped, new.drop) }
      return (now.isOpen(id) ? .waiting : .cancelled, nil)
    case (let before?, let after?):
      guard let old, let new else { return nil }
      if old.isBundled != new.isBundled { return (new.isBundled ? .bundled : .separated, nil) }
      if before != after { return (.moved, nil) }
      return old.message == new.message ? nil : (.reworded, nil)
    }
  }
}

/// The results of a replay for all occurrences that it has finished.
private struct ReplayedFates {
  struct ID: Hashable {
    let reminder: Symbol
    /// The key of the occurrence among those of its reminder.
    let key: Int64
    let round: Int64
    let channel: Channel
  }

  struct Fate {
    /// The instant of the notification or of its digest; nil if a gate dropped it.
    let sentAt: Instant?
    let isBundled: Bool
    let drop: Gate?
    let message: Message

    /// Whether the occurrence was sent as a notification of its own.
    var isSent: Bool { sentAt != nil && !isBundled }

    func line(_ id: ID) -> ReplayComparison.Line {
      ReplayComparison.Line(
        reminder: message.reminder, category: message.category, channel: id.channel)
    }
  }

  private(set) var fates: [ID: Fate] = [:]
  private let open: Set<OccurrenceName>

  init(_ replay: RecipientReplay, _ renaming: Renaming) {
    open = Set(
      replay.openOccurrences.map {
        OccurrenceName(reminder: renaming[$0.reminder], key: $0.key)
      })
    for decision in replay.decisions {
      let firing = decision.firing
      guard case .finished(let outcome) = firing.result else { continue }
      let fate = Fate(
        sentAt: outcome == .dropped ? nil : firing.at, isBundled: outcome == .bundled,
        drop: firing.trace.firstDrop, message: decision.message)
      for channel in firing.channels.channels {
        let id = ID(
          reminder: renaming[firing.reminder], key: firing.key, round: firing.round,
          channel: channel)
        fates[id] = fate
      }
    }
  }

  func isOpen(_ id: ID) -> Bool {
    open.contains(OccurrenceName(reminder: id.reminder, key: id.key))
  }
}

extension [ReplayedDecision] {
  /// The highest number of notifications outside the inbox on one local date.
  fileprivate var highestDay: Int {
    let days = filter { $0.firing.isOnChannel && $0.firing.channelGroup.isInterrupting }
      .map { $0.zone.date(at: $0.firing.at) }
    return Dictionary(grouping: days) { $0 }.values.map(\.count).max() ?? 0
  }
}
