import CivilTime
import Reminders
import Store

/// The effects of a change of the tz database (rules T1, T4).
extension Planning {
  /// Begins to count the effects if the planner has another tz database than the current one. A
  /// count in progress starts again from zero in any case, as all recipients are planned again.
  func recordZones(of planner: Planner) {
    guard planner.zones.generation != self.planner.zones.generation else {
      zoneUpdate?.forgetCounts()
      return
    }
    let changes = planner.zones.changes(since: self.planner.zones)
    zoneUpdate = ZoneUpdate(
      version: planner.zones.version, zones: changes.union(zoneUpdate?.zones ?? []))
  }

  /// Counts a recipient in `zoneUpdate`, and returns the instants of its pending occurrences if the
  /// rules of its zone have changed; nil otherwise.
  func plannedInstants(
    of recipient: Recipient, _ planner: Planner, _ turn: inout Turn
  ) -> [PendingKey: Instant]? {
    guard let zoneUpdate else { return nil }
    turn.effects.planning.zoneUpdate.recipients += 1
    let zone = recipient.facts.zoneName ?? turn.planner.defaultZone.name
    guard zoneUpdate.zones.contains(zone) else { return nil }
    turn.effects.planning.zoneUpdate.affected += 1
    return instants(recipient, planner, turn.now)
  }

  /// Counts the pending occurrences whose planned instants have changed.
  func countMoved(
    _ recipient: Recipient, from previous: [PendingKey: Instant], _ turn: inout Turn
  ) {
    for (occurrence, instant) in instants(recipient, turn.planner, turn.now) {
      if let previousInstant = previous[occurrence], previousInstant != instant {
        turn.effects.planning.zoneUpdate.moved += 1
      }
    }
  }

  private func instants(
    _ recipient: Recipient, _ planner: Planner, _ now: Instant
  ) -> [PendingKey: Instant] {
    let pending = recipient.pending(now: now, planner: planner)
    return Dictionary(pending.map { (PendingKey($0), $0.planned) }) { first, _ in first }
  }

  /// Whether the tz database has lost the zone of a recipient, or the default zone (rule T4).
  func hasLostZones(in transaction: any StoreWriter) throws -> Bool {
    let zones = planner.zones
    // The rules of a zone take 20 kB once they are read, so only the zones in use are examined.
    return try zones.fault(of: planner.defaultZone.name) != nil
      || !transaction.areReportedZones(among: zones.names) { zones.fault(of: $0) == nil }
  }

  /// Makes `concludeZones` report the lost zones, once their recipients are counted.
  func recordLostZones() {
    var update = ZoneUpdate(version: planner.zones.version, zones: [])
    update.isStartCheck = true
    zoneUpdate = update
  }

  /// Reports the effects of a change of the tz database, and ends their count.
  func concludeZones() {
    guard var update = zoneUpdate else { return }
    zoneUpdate = nil
    update.lost = lostZones
    if !update.isStartCheck || !lostZones.isEmpty { actions.report(update) }
  }
}

/// Identifies a pending occurrence of a recipient.
struct PendingKey: Hashable {
  let reminder: Symbol
  /// The key that identifies the occurrence among those of its reminder.
  let key: Int64
  let channelGroup: ChannelGroup

  init(_ pending: Pending) {
    (reminder, key, channelGroup) = (pending.reminder, pending.key, pending.channelGroup)
  }
}
