import CivilTime

extension PlanningContext {
  /// Returns the channels of a reminder that are switched on. If there is none, nothing is planned
  /// (rule I5). For each of these channels, all of these switches are on:
  ///
  /// - the master switch
  /// - the channel
  /// - the channel in the reminder's category (rule P2)
  /// - the reminder's group
  ///
  /// Locked and mandatory categories ignore the first three (rules P3, V3).
  package func channels(of reminder: Reminder) -> ChannelSet {
    guard mayBeSent(reminder) else { return [] }
    return categoryChannels[reminder.category].intersection(reminder.channels)
  }

  /// Returns whether the master switch and the reminder's group are on, and its series has not
  /// ended. Categories that are always on ignore the master switch. A recipient without facts, such
  /// as an erased one, gets no reminders.
  func mayBeSent(_ reminder: Reminder) -> Bool {
    guard facts.created != nil, isRunning(reminder) else { return false }
    return settings.isOn(.master) || catalog.categories[reminder.category].isAlwaysOn
  }

  /// Returns whether occurrences of a reminder are planned. At least one channel of the reminder or
  /// of an entity must be on. A message to other people needs a person with its role instead. If
  /// the message repeats a reminder, that reminder must be planned too. Requested notifications are
  /// checked individually later.
  package func isPlanned(_ reminder: Reminder) -> Bool {
    if case .request = reminder.trigger { return facts.created != nil }
    if let relay = reminder.relay {
      guard !facts.relations.isEmpty, isRunning(reminder) else { return false }
      if let first = reminder.repeated.flatMap(catalog.reminder), !isPlanned(first) {
        return false
      }
      return !facts.people(with: relay.role).isEmpty
    }
    return !channels(of: reminder).isEmpty || hasChannelChoices(reminder) && mayBeSent(reminder)
  }

  /// Returns the channels for one occurrence. A request may restrict the channels of its
  /// notification, and an entity may have channels of its own.
  package func channels(of reminder: Reminder, key: Int64) -> ChannelSet {
    guard case .request = reminder.trigger, let request = facts.request(key) else {
      return entityChannels(of: reminder, key: key) ?? channels(of: reminder)
    }
    return request.narrowed(channels(of: reminder))
  }

  /// Returns the channels on which an occurrence is sent: the channels that are on and reach the
  /// recipient. If channels other than `inapp` are on, but none of them reaches the recipient, a
  /// fallback is added: the category's first that reaches the recipient (rule D8).
  package func reach(of reminder: Reminder, key: Int64) -> ChannelSet {
    reach(
      of: reminder, wanting: channels(of: reminder, key: key),
      own: ownChannels(of: reminder, key: key), without: unreachable)
  }

  /// - Parameters:
  ///   - own: the occurrence's own channels, which no other channel replaces; nil if it has none.
  ///   - unreachable: the channels that do not reach the recipient.
  func reach(
    of reminder: Reminder, wanting wanted: ChannelSet, own: ChannelSet? = nil,
    without unreachable: ChannelSet
  ) -> ChannelSet {
    let reachable = wanted.subtracting(unreachable)
    let fallback = fallbacks(of: reminder, wanting: wanted, own: own, without: unreachable).first
    return reachable.union(fallback.map { ChannelSet($0) } ?? [])
  }

  /// Returns the fallback channels that can replace the wanted channels, the preferred one first.
  /// The result is empty if a wanted channel except `inapp` reaches the recipient, or if only
  /// `inapp` is wanted.
  func fallbacks(
    of reminder: Reminder, wanting wanted: ChannelSet, own: ChannelSet? = nil,
    without unreachable: ChannelSet
  ) -> [Channel] {
    // A notification that is only in the app does not count as reaching the recipient.
    let reachesAtMostTheApp = wanted.subtracting(unreachable).isSubset(of: ChannelSet(.inapp))
    guard reachesAtMostTheApp, !wanted.isSubset(of: ChannelSet(.inapp)) else { return [] }
    let category = catalog.categories[reminder.category]
    return category.channels.filter { entry in
      entry.isFallback && !unreachable.contains(ChannelSet(entry.channel))
        && mayReplace(entry, of: category, own: own)
    }.map(\.channel)
  }

  /// Returns whether the channel of `entry` may replace another channel that cannot reach the
  /// recipient. A declared fallback that is off by default may. A channel that the recipient has
  /// switched off may not, except in a locked or mandatory category. If the occurrence has channels
  /// of its own, only these may.
  func mayReplace(
    _ entry: CategoryChannel, of category: Category, own: ChannelSet? = nil
  ) -> Bool {
    guard Self.isAllowed(entry.channel, category, settings) else { return false }
    guard !category.isAlwaysOn else { return true }
    guard settings.isOn(entry.channel.setting) else { return false }
    if let own { return own.contains(ChannelSet(entry.channel)) }
    if settings.isOn(entry.setting) { return true }
    let path = Symbol(catalog.settings.definitions[entry.setting].path)
    return entry.isFallback && !facts.settings.contains { $0.path == path }
  }

  /// Returns the channel groups on which an occurrence is sent. If no channel reaches the
  /// recipient, returns only the interrupting group, so that the drop of the occurrence is recorded
  /// once.
  package func channelGroups(of reminder: Reminder, key: Int64) -> [ChannelGroup] {
    let reach = reach(of: reminder, key: key)
    guard !reach.isEmpty else { return [.interrupting] }
    return possibleGroups(of: reminder).filter { !$0.channels.isDisjoint(with: reach) }
  }

  /// Returns the number of channel groups on which occurrences are sent.
  ///
  /// - Parameter requestedChannels: the channels that a request names; empty for all channels of
  ///   the reminder.
  fileprivate func groupCount(of reminder: Reminder, requestedChannels: ChannelSet) -> Int {
    let all = channels(of: reminder)
    let wanted = requestedChannels.isEmpty ? all : all.intersection(requestedChannels)
    let reach = reach(of: reminder, wanting: wanted, without: unreachable)
    guard !reach.isEmpty else { return 1 }
    return possibleGroups(of: reminder).count { !$0.channels.isDisjoint(with: reach) }
  }

  private func possibleGroups(of reminder: Reminder) -> [ChannelGroup] {
    isCollected(reminder) ? ChannelGroup.withCollectedEmail : ChannelGroup.withPromptEmail
  }

  /// Returns whether the reminder is switched on and the recipient has not ended its series.
  /// Returns true for requested notifications, which have no group and no series.
  private func isRunning(_ reminder: Reminder) -> Bool {
    if case .request = reminder.trigger { return true }
    return isSwitchedOn(reminder) && !isStopped(reminder)
  }

  static func categoryChannels(of catalog: Catalog, _ settings: Settings) -> [ChannelSet] {
    catalog.categories.map { channels(of: $0, settings) }
  }

  private static func channels(of category: Category, _ settings: Settings) -> ChannelSet {
    var channels: ChannelSet = []
    for entry in category.channels
    where !entry.isOnlyFallback && isAllowed(entry.channel, category, settings) {
      let isOn = settings.isOn(entry.channel.setting) && settings.isOn(entry.setting)
      if isOn || category.isAlwaysOn { channels.insert(ChannelSet(entry.channel)) }
    }
    return channels
  }
}

extension PlanningContext {
  /// Returns whether a category may use a channel. Recipients can restrict SMS to critical
  /// categories.
  static func isAllowed(
    _ channel: Channel, _ category: Category, _ settings: Settings
  ) -> Bool {
    channel != .sms || category.urgency >= .critical || !settings.isOn(.smsCriticalOnly)
  }
}

extension Planner {
  /// Returns the channels that cannot reach a recipient (rule D2). Either no sink is configured for
  /// the channel, or the recipient's address is unknown or suppressed, or the recipient has denied
  /// the permission.
  func unreachable(_ facts: Facts) -> ChannelSet {
    var unreachable = unroutedChannels
    if requirements.isEmpty, facts.settings.isEmpty { return unreachable }
    for channel in Channel.allCases {
      let lacksAddress =
        switch requirements[channel] {
        case nil: false
        case .device: !facts.devices.contains { $0.token != nil }
        case .email: facts.profile(.email) == nil
        case .phone: facts.profile(.phone) == nil
        }
      let isSuppressed = facts.suppression(of: channel) != nil
      if lacksAddress || isSuppressed || facts.permission(of: channel) == .denied {
        unreachable.insert(ChannelSet(channel))
      }
    }
    return unreachable
  }
}

/// Plans collected e-mail, for recipients who want e-mail once a day or once a week. The other
/// channels of the same occurrence are sent at their planned time.
extension PlanningContext {
  /// Returns whether a reminder's e-mail is collected. E-mail of high urgency or above is never
  /// collected.
  func isCollected(_ reminder: Reminder) -> Bool {
    guard settings[.emailFrequency] != 0 else { return false }
    return reminder.urgency ?? catalog.categories[reminder.category].urgency < .high
  }

  /// Returns when e-mail that is planned for an instant is collected, at the recipient's chosen
  /// time. Daily e-mail is collected on the same local date or the next, weekly e-mail on the
  /// chosen weekday. Returns nil if e-mail is not collected.
  func collection(after planned: Instant) -> Instant? {
    let frequency = settings[.emailFrequency]
    guard frequency != 0 else { return nil }
    let time = settings.time(BuiltInSetting.emailTime.rawValue)
    let day = 1 << (settings[.emailDay] & 7)
    let plannedDate = zone.date(at: planned)
    // The chosen weekday is at most 7 days ahead, and 14 days if the zone skips that date.
    for date in (0...14).map({ plannedDate + $0 })
    where (frequency == 1 || date.weekday.bit == day) && zone.hasDate(date) {
      let instant = zone.instant(of: date, at: time)
      if instant >= planned { return instant }
    }
    return nil
  }

  /// Returns the last instant at which a due occurrence may be sent. The lifetime of collected
  /// e-mail begins at the collection and not at the planned instant. The recipient has chosen to
  /// get this e-mail late.
  func expiry(of entry: Progress.InProgress, _ reminder: Reminder) -> Instant {
    let collection = entry.channelGroup == .collected ? collection(after: entry.planned) : nil
    let expiry =
      (collection ?? entry.planned) + lifetime(of: reminder, key: entry.key) + entry.expiryPause
    return entry.deadline.map { min(expiry, $0 - .milliseconds(1)) } ?? expiry
  }
}

/// Counts the channel groups on which occurrences are sent.
///
/// A recipient may have a thousand requests. So the counter uses the channels in the occurrence and
/// looks up no request. Most requests name the same channels as the previous one, so the counter
/// stores the last result.
struct ChannelGroupCounter {
  private let context: PlanningContext
  private var last: (reminder: Symbol, requestedChannels: ChannelSet, count: Int)?

  init(_ context: PlanningContext) {
    self.context = context
  }

  mutating func count(of occurrence: Occurrence, of reminder: Reminder) -> Int {
    if context.hasChannelChoices(reminder) {
      return context.channelGroups(of: reminder, key: occurrence.key).count
    }
    let requestedChannels = occurrence.requestedChannels
    if let last, last.requestedChannels == requestedChannels, last.reminder == reminder.symbol {
      return last.count
    }
    let count = context.groupCount(of: reminder, requestedChannels: requestedChannels)
    last = (reminder.symbol, requestedChannels, count)
    return count
  }
}
