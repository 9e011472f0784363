import CivilTime

/// The time from which push counts as not reaching a recipient, because no device was seen for long
/// and another channel can carry the occurrence (rule V17).
struct PushAbsence: Hashable, Sendable {
  /// The instant at which a device was last in use.
  let lastSeen: Instant
  /// The instant from which push counts as not reaching the recipient.
  let start: Instant
  /// The channels that carry the occurrence from then on.
  let channels: ChannelSet
  /// The closed hours of each of these channels; empty if one is always open.
  let closedHours: [QuietHours]
}

extension PlanningContext {
  /// Returns the absence of an occurrence's push; nil if push is not among its channels, or no
  /// other channel of the group can carry it.
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
