package import CivilTime

/// Applies the operator's hours to the channels of an occurrence (rule V18).
extension PlanningContext {
  /// Returns the hours in which a channel is closed for a category; nil if it is always open.
  func closedHours(
    of channel: Channel, _ category: Category, _ urgency: Urgency
  ) -> QuietHours? {
    let windows = allowedHours.filter { $0.concerns(channel, of: category, urgency) }
      .flatMap(\.closedWindows)
    return windows.isEmpty ? nil : QuietHours(closed: windows)
  }

  /// Returns the closed hours of each channel; empty if one of them is always open, because then
  /// the occurrence is not held.
  func closedHours(of channels: ChannelSet, _ reminder: Reminder) -> [QuietHours] {
    guard !allowedHours.isEmpty else { return [] }
    let category = catalog.categories[reminder.category]
    var hours: [QuietHours] = []
    for channel in channels.channels {
      let closed = closedHours(of: channel, category, reminder.urgency ?? category.urgency)
      guard let closed else { return [] }
      hours.append(closed)
    }
    return hours
  }

  /// Returns the closed hours of all channels that may carry an occurrence in a channel group.
  /// These are the channels that reach the recipient and, if they are fallbacks, the other
  /// fallbacks.
  func closedHours(
    of reminder: Reminder, key: Int64, _ channelGroup: ChannelGroup
  ) -> [QuietHours] {
    let others = fallbacks(of: reminder, key: key).map { ChannelSet($0) }
    let channels = others.reduce(reach(of: reminder, key: key)) { $0.union($1) }
    return closedHours(of: channels.intersection(channelGroup.channels), reminder)
  }

  private func fallbacks(of reminder: Reminder, key: Int64) -> [Channel] {
    fallbacks(
      of: reminder, wanting: channels(of: reminder, key: key),
      own: ownChannels(of: reminder, key: key), without: unreachable)
  }

  /// Returns whether a channel of a reminder is closed at an instant.
  private func isClosed(_ channel: Channel, of reminder: Reminder, at instant: Instant) -> Bool {
    closedHours(of: ChannelSet(channel), reminder).first?.windowEnd(at: instant, in: zone) != nil
  }

  /// Returns the channels that are open at an instant. If none of them is open, returns the first
  /// other fallback that is, or else all of the channels.
  func open(
    _ channels: ChannelSet, of reminder: Reminder, key: Int64, _ channelGroup: ChannelGroup,
    at instant: Instant
  ) -> ChannelSet {
    guard !allowedHours.isEmpty else { return channels }
    let open = channels.channels.filter { !isClosed($0, of: reminder, at: instant) }
    guard open.isEmpty else { return open.reduce(into: []) { $0.insert(ChannelSet($1)) } }
    let other = fallbacks(of: reminder, key: key).first { channel in
      channelGroup.channels.contains(ChannelSet(channel))
        && !isClosed(channel, of: reminder, at: instant)
    }
    return other.map { ChannelSet($0) } ?? channels
  }

  /// Returns the fallback channels, the open ones first, and otherwise in the same order.
  func openFirst(_ channels: [Channel], for delivery: Delivery, at now: Instant) -> [Channel] {
    guard !allowedHours.isEmpty, let category = catalog.category(of: delivery) else {
      return channels
    }
    let urgency = catalog.urgency(of: delivery)
    func isOpen(_ channel: Channel) -> Bool {
      closedHours(of: channel, category, urgency)?.windowEnd(at: now, in: zone) == nil
    }
    return channels.filter(isOpen) + channels.filter { !isOpen($0) }
  }

  /// Returns whether the operator's hours allow a delivery on its channel at an instant.
  package func isAllowed(_ delivery: Delivery, at now: Instant) -> Bool {
    guard !allowedHours.isEmpty, let category = catalog.category(of: delivery) else { return true }
    let hours = closedHours(of: delivery.channel, category, catalog.urgency(of: delivery))
    return hours?.windowEnd(at: now, in: zone) == nil
  }
}

extension QuietHours {
  /// Creates hours without a first window.
  fileprivate init(closed windows: [QuietWindow]) {
    self.init(isEnabled: true, start: .midnight, end: .midnight, others: windows)
  }
}

extension GateInput {
  /// Returns the closed hours of the channels that carry the occurrence at an instant; empty if it
  /// is not held (rule V18).
  func policyHours(at instant: Instant) -> [QuietHours] {
    if let pushAbsence, instant >= pushAbsence.start { return pushAbsence.closedHours }
    return policyHours
  }

  /// Whether the operator's hours may hold the occurrence.
  var hasPolicyHours: Bool { !policyHours.isEmpty || pushAbsence?.closedHours.isEmpty == false }

  /// Returns the start and the end of the time around an instant in which no channel is allowed;
  /// nil if one is. The time may begin earlier, in another window that ends at this start.
  func closedByPolicy(at instant: Instant) -> (start: Instant, end: Instant)? {
    var closed: (start: Instant, end: Instant)?
    for hours in policyHours(at: instant) {
      guard let start = hours.windowStart(at: instant, in: zone),
        let end = hours.windowEnd(at: instant, in: zone)
      else { return nil }
      closed = closed.map { (max($0.start, start), min($0.end, end)) } ?? (start, end)
    }
    return closed
  }
}
