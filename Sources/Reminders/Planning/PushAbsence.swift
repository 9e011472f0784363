import CivilTime

/// The absence of a recipient's devices, as it concerns one occurrence (rule V17). After a long
/// absence push counts as not reaching the recipient, and other channels carry the occurrence.
struct PushAbsence: Hashable, Sendable {
  /// The instant at which a device was last in use.
  let lastSeen: Instant
  /// The instant from which push counts as not reaching the recipient.
  let start: Instant
  /// The channels that carry the occurrence from `start` on.
  let channels: ChannelSet
  /// The hours in which the operator closes each of these channels; empty if one is always open.
  let closedHours: [QuietHours]
}

extension PlanningContext {
  /// Returns the absence for an occurrence. Returns nil if no device was ever reported as seen, or
  /// unless both push and another channel of the group can carry the occurrence.
  func pushAbsence(
    of reminder: Reminder, key: Int64, channelGroup: ChannelGroup
  ) -> PushAbsence? {
    let push = ChannelSet(.push)
    guard let lastSeen, channelGroup.channels.contains(push) else { return nil }
    let wanted = channels(of: reminder, key: key)
    guard wanted.contains(push), !unreachable.contains(push) else { return nil }
    let others = reach(
      of: reminder, wanting: wanted, own: ownChannels(of: reminder, key: key),
      without: unreachable.union(push)
    ).intersection(channelGroup.channels)
    guard !others.isEmpty else { return nil }
    let span = catalog.categories[reminder.category].reachable
    return PushAbsence(
      lastSeen: lastSeen, start: lastSeen + span, channels: others,
      closedHours: closedHours(of: others, reminder))
  }
}
